// Loads and runs a model that onnxc compiled to WebAssembly, in browsers and in
// Node.js. It reads the structures of onnxc/runtime.h from the module's memory.

const file = 'MODULE_FILE';
const query = 'MODULE_QUERY';
const abiVersion = 4;

// Bytes of onnxc_tensor, onnxc_value_info and onnxc_string.
const tensorBytes = 152;
const infoBytes = 24;
const textBytes = 8;
const alignment = 64;

// By onnxc_dtype: ONNX's name, the array, and how many of its elements are one.
const types = [
  , ['float', Float32Array], ['uint8', Uint8Array], ['int8', Int8Array],
  ['uint16', Uint16Array], ['int16', Int16Array], ['int32', Int32Array],
  ['int64', BigInt64Array], ['string', Array], ['bool', Uint8Array], ['float16', Uint16Array],
  ['double', Float64Array], ['uint32', Uint32Array], ['uint64', BigUint64Array],
  ['complex64', Float32Array, 2], ['complex128', Float64Array, 2],
  ['bfloat16', Uint16Array], ['float8e4m3fn', Uint8Array],
  ['float8e4m3fnuz', Uint8Array], ['float8e5m2', Uint8Array],
  ['float8e5m2fnuz', Uint8Array], ['uint4', Uint8Array], ['int4', Int8Array],
  ['float4e2m1', Uint8Array], ['float8e8m0', Uint8Array], ['uint2', Uint8Array],
  ['int2', Int8Array], ['float6e2m3', Uint8Array], ['float6e3m2', Uint8Array],
];
const sequence = 100, map = 101, optional = 102;

/** What "seq(tensor(float))" is made of. */
function parseType(text) {
  const [, kind, inner] = /^(\w+)\((.*)\)$/.exec(text) ?? [];
  if (kind === 'seq')
    return { dtype: sequence, of: parseType(inner) };
  if (kind === 'optional')
    return { dtype: optional, of: parseType(inner) };
  if (kind === 'map') {
    const comma = inner.indexOf(',');
    return {
      dtype: map,
      keys: parseType(`tensor(${inner.slice(0, comma).trim()})`),
      values: parseType(inner.slice(comma + 1).trim()),
    };
  }
  return { dtype: types.findIndex((type) => type?.[0] === inner) };
}

class Model {
  #exports;
  #context;
  #allocated = [];
  #end;

  constructor({ exports, end }) {
    this.#exports = exports;
    this.#end = end;
    const seed = new Uint32Array(2);
    if (globalThis.crypto?.getRandomValues)
      globalThis.crypto.getRandomValues(seed);
    else
      seed.forEach((_, i) => { seed[i] = Math.random() * 2 ** 32; });
    this.#exports.onnxc_wasm_seed(seed[0], seed[1]);
    const model = this.#exports[query](abiVersion) >>> 0;
    if (!model)
      throw new Error(`${file} has another version of the interface`);
    const view = this.#view();
    const required = view.getInt32(model + 4, true);
    const overridable = view.getInt32(model + 92, true);
    this.inputs = this.#readInfos(view.getUint32(model + 32, true),
                                  required + overridable, required);
    const outputs = view.getInt32(model + 8, true);
    this.outputs =
      this.#readInfos(view.getUint32(model + 36, true), outputs, outputs);
    const place = this.#allocate(4);
    const status = this.#exports.onnxc_rt_create(model, 0, place);
    this.#context = this.#view().getUint32(place, true);
    this.#release();
    if (status)
      throw new Error(`${file}: no memory for the model`);
  }

  run(inputs) {
    const { onnxc_rt_run, onnxc_rt_error } = this.#exports;
    for (const name of Object.keys(inputs))
      if (!this.inputs.some((info) => info.name === name))
        throw new Error(`the model has no input '${name}', it has ` +
                        this.inputs.map((info) => `'${info.name}'`).join(', '));
    try {
      const numInputs = this.inputs.length;
      const tensors = this.#allocate(
        (numInputs + this.outputs.length) * tensorBytes);
      this.inputs.forEach((info, i) => {
        const value = inputs[info.name];
        // Without data, an input has its default value.
        if (value === undefined && info.optional)
          return;
        if (value === undefined)
          throw new Error(`input '${info.name}' is missing`);
        this.#write(tensors + i * tensorBytes, value, parseType(info.type),
                    info.dims, `input '${info.name}'`);
      });
      const results = tensors + numInputs * tensorBytes;
      if (onnxc_rt_run(this.#context, tensors, numInputs, results,
                       this.outputs.length))
        throw new Error(this.#text(onnxc_rt_error(this.#context) >>> 0));
      return Object.fromEntries(this.outputs.map((info, i) =>
        [info.name, this.#read(results + i * tensorBytes)]));
    } finally {
      this.#release();
    }
  }

  close() {
    if (this.#context)
      this.#exports.onnxc_rt_destroy(this.#context);
    this.#context = 0;
    this.#end?.();
  }

  // A call may have made the memory larger: views of before are of no use then.
  #view() {
    return new DataView(this.#exports.memory.buffer);
  }

  /** Zeros until #release. */
  #allocate(bytes) {
    const size = Math.max(Math.ceil(bytes / alignment), 1) * alignment;
    const address = this.#exports.aligned_alloc(alignment, size) >>> 0;
    if (!address)
      throw new Error(`no memory for ${bytes} bytes of inputs`);
    this.#allocated.push(address);
    new Uint8Array(this.#exports.memory.buffer, address, size).fill(0);
    return address;
  }

  #release() {
    for (const address of this.#allocated)
      this.#exports.free(address);
    this.#allocated = [];
  }

  #text(address) {
    const bytes = new Uint8Array(this.#exports.memory.buffer);
    return new TextDecoder().decode(
      bytes.slice(address, bytes.indexOf(0, address)));
  }

  #readInfos(address, count, required) {
    return Array.from({ length: count }, (_, i) => {
      const view = this.#view(), at = address + i * infoBytes;
      const rank = view.getInt32(at + 8, true);
      const dims = view.getUint32(at + 12, true);
      const symbols = view.getUint32(at + 16, true);
      return {
        name: this.#text(view.getUint32(at, true)),
        type: this.#text(view.getUint32(at + 20, true)),
        dims: rank < 0 ? null : Array.from({ length: rank }, (_, d) =>
          Number(view.getBigInt64(dims + 8 * d, true))),
        symbols: Array.from({ length: Math.max(rank, 0) }, (_, d) =>
          this.#text(view.getUint32(symbols + 4 * d, true))),
        optional: i >= required,
      };
    });
  }

  #writeHead(at, data, bytes, dtype, dims) {
    if (dims.length > 16)
      throw new Error(`a rank of ${dims.length}, expected at most 16`);
    const view = this.#view();
    view.setUint32(at, data, true);
    view.setBigUint64(at + 8, BigInt(bytes), true);
    view.setInt32(at + 16, dtype, true);
    view.setInt32(at + 20, dims.length, true);
    dims.forEach((size, d) =>
      view.setBigInt64(at + 24 + 8 * d, BigInt(size), true));
  }

  /** The onnxc_tensor at `at`, from an array or {data, dims}. */
  #write(at, value, type, dims, what) {
    if (type.dtype >= sequence) {
      const isMap = type.dtype === map;
      const parts = isMap ? [value.keys, value.values]
        : type.dtype === sequence ? value : value === null ? [] : [value];
      if (!Array.isArray(parts))
        throw new Error(`${what}: expected an array`);
      const data = this.#allocate(parts.length * tensorBytes);
      parts.forEach((part, i) =>
        this.#write(data + i * tensorBytes, part,
                    isMap ? [type.keys, type.values][i] : type.of, null, what));
      this.#writeHead(at, data, parts.length * tensorBytes, type.dtype,
                      [parts.length]);
      return;
    }
    const [name, ArrayType, perElement = 1] = types[type.dtype];
    let elements = value?.data ?? value;
    if (Array.isArray(elements))
      elements = ArrayType.from(elements);
    const isText = ArrayType === Array;
    const isSame = elements instanceof ArrayType ||
      (ArrayBuffer.isView(elements) &&
       elements.BYTES_PER_ELEMENT === ArrayType.BYTES_PER_ELEMENT &&
       (name.endsWith('float16') ||
        elements instanceof Uint8ClampedArray));
    if (!isSame)
      throw new Error(`${what}: expected a ${ArrayType.name}, got ` +
                      `${elements?.constructor?.name ?? elements}`);
    const count = elements.length / perElement;
    const sizes = value.dims ?? fill(dims, count, what);
    if (sizes.reduce((a, b) => a * b, 1) !== count)
      throw new Error(`${what}: ${count} elements, expected those of ` +
                      `[${sizes.join(', ')}]`);
    if (isText) {
      this.#writeHead(at, this.#writeTexts(elements, what), count * textBytes,
                      type.dtype, sizes);
      return;
    }
    const data = this.#allocate(elements.byteLength);
    new Uint8Array(this.#exports.memory.buffer, data, elements.byteLength).set(
      new Uint8Array(elements.buffer, elements.byteOffset,
                     elements.byteLength));
    this.#writeHead(at, data, elements.byteLength, type.dtype, sizes);
  }

  /** The onnxc_strings of texts. */
  #writeTexts(texts, what) {
    const encoded = texts.map((text) => {
      if (typeof text !== 'string' || text.includes('\0'))
        throw new Error(`${what}: expected texts without NUL, got ` +
                        `${JSON.stringify(text)}`);
      return new TextEncoder().encode(text);
    });
    const data = this.#allocate(texts.length * textBytes);
    let at = this.#allocate(
      encoded.reduce((sum, bytes) => sum + bytes.length + 1, 0));
    const view = this.#view(), memory = new Uint8Array(view.buffer);
    encoded.forEach((bytes, i) => {
      memory.set(bytes, at);
      view.setUint32(data + textBytes * i, at, true);
      at += bytes.length + 1;
    });
    return data;
  }

  /** A copy of the value that the onnxc_tensor at `at` holds. */
  #read(at) {
    const view = this.#view();
    const data = view.getUint32(at, true);
    const dtype = view.getInt32(at + 16, true);
    const dims = Array.from({ length: view.getInt32(at + 20, true) }, (_, d) =>
      Number(view.getBigInt64(at + 24 + 8 * d, true)));
    if (dtype >= sequence) {
      const count = dtype === map ? 2 : dims[0];
      const parts = Array.from({ length: count }, (_, i) =>
        this.#read(data + i * tensorBytes));
      return dtype === sequence ? parts
        : dtype === optional ? parts[0] ?? null
        : { keys: parts[0], values: parts[1] };
    }
    const [type, ArrayType, perElement = 1] = types[dtype];
    const count = dims.reduce((a, b) => a * b, 1) * perElement;
    if (ArrayType === Array) {
      const texts = Array.from({ length: count }, (_, i) =>
        this.#text(view.getUint32(data + textBytes * i, true)));
      return { data: texts, dims, type };
    }
    return {
      data: new ArrayType(this.#exports.memory.buffer, data, count).slice(),
      dims,
      type,
    };
  }
}

/** The sizes of an array that says none: at most one is not fixed. */
function fill(dims, count, what) {
  const open = dims?.filter((size) => size < 0).length;
  if (!dims || open > 1)
    throw new Error(`${what}: its sizes are not fixed; give {data, dims}`);
  const rest = dims.reduce((a, b) => (b < 0 ? a : a * b), 1);
  if (open && (!rest || count % rest))
    throw new Error(`${what}: ${count} elements, expected a multiple of ${rest}`);
  return dims.map((size) => (size < 0 ? count / rest : size));
}

async function compile(source) {
  if (source instanceof WebAssembly.Module)
    return source;
  if (typeof source === 'string')
    source = new URL(source, import.meta.url);
  if (source instanceof URL && source.protocol === 'file:' &&
      globalThis.process?.versions?.node) {
    const { readFile } = await import('node:fs/promises');
    source = await readFile(source);
  } else if (source instanceof URL) {
    source = await fetch(source);
    if (!source.ok)
      throw new Error(`${source.url}: ${source.status} ${source.statusText}`);
  }
  if (typeof source.arrayBuffer === 'function')
    source = await source.arrayBuffer();
  return WebAssembly.compile(source);
}

export async function load(source = new URL(file, import.meta.url), options = {}) {
  return new Model(await instantiate(await compile(source), options));
}
