
const instantiate = (module) => WebAssembly.instantiate(module, {});
