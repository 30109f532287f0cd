
// Threads: workers that run this file, each with an instance of the module over
// the model's memory and with a stack of its own in there.

const memoryPages = MEMORY_PAGES, mostPages = 65536;
const stackBytes = 1 << 20, mostWorkers = 63;
const isNode = Boolean(globalThis.process?.versions?.node);
const nodeThreads = isNode ? await import('node:worker_threads') : undefined;
const workerName = `onnxc ${file}`;

/** A promise of the worker, once it is about to wait for work. */
function start(task) {
  return new Promise((resolve, reject) => {
    if (isNode) {
      const worker = new nodeThreads.Worker(new URL(import.meta.url),
                                            { workerData: { [workerName]: task } });
      worker.once('error', reject);
      worker.once('message', () => {
        // It does not keep the program from ending.
        worker.unref();
        resolve(worker);
      });
      return;
    }
    const worker = new Worker(import.meta.url,
                              { type: 'module', name: workerName });
    worker.onmessage = () => resolve(worker);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(task);
  });
}

function work({ module, memory, index, stackEnd }, tell) {
  const { exports } = new WebAssembly.Instance(module, { env: { memory } });
  exports.__stack_pointer.value = stackEnd;
  tell();
  exports.onnxc_wasm_work(index);
}

async function instantiate(module, { threads }) {
  if (!isNode && !globalThis.crossOriginIsolated)
    throw new Error(`${file} has threads, which a page may have that is served ` +
                    'with Cross-Origin-Opener-Policy: same-origin and ' +
                    'Cross-Origin-Embedder-Policy: require-corp');
  threads ??= globalThis.navigator?.hardwareConcurrency ??
    (await import('node:os')).availableParallelism();
  const memory = new WebAssembly.Memory(
    { initial: memoryPages, maximum: mostPages, shared: true });
  const { exports } = await WebAssembly.instantiate(module, { env: { memory } });
  const count = Math.max(Math.min(threads - 1, mostWorkers), 0), starts = [];
  // The thread of a page may not sleep.
  exports.onnxc_wasm_set_threads(
    count, isNode || typeof window === 'undefined' ? 1 : 0);
  for (let index = 0; index < count; ++index) {
    const stack = exports.aligned_alloc(16, stackBytes) >>> 0;
    if (!stack)
      throw new Error(`no memory for ${threads} threads`);
    starts.push(start({ module, memory, index, stackEnd: stack + stackBytes }));
  }
  const workers = await Promise.all(starts);
  return {
    exports,
    end: () => workers.forEach((worker) => worker.terminate()),
  };
}

if (isNode && nodeThreads.workerData?.[workerName])
  work(nodeThreads.workerData[workerName],
       () => nodeThreads.parentPort.postMessage('ready'));
else if (!isNode && globalThis.name === workerName)
  globalThis.onmessage = ({ data }) =>
    work(data, () => globalThis.postMessage('ready'));
