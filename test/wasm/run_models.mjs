// Runs models that onnxc compiled, one after the other.
//
// usage: node run_models.mjs TASKS
//   Each line of the file TASKS is JSON: {"loader": PATH, "runs": [INPUTS]}; each
//   line of the answer is {"runs": [OUTPUTS]} or {"error": TEXT}. A tensor is
//   {"data": base64 of its bytes, "dims": sizes, "array": name of its array}, or
//   {"texts": elements, "dims": sizes}.

import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

function decode(value) {
  if (value === null)
    return null;
  if (Array.isArray(value))
    return value.map(decode);
  if (value.keys)
    return { keys: decode(value.keys), values: decode(value.values) };
  if (value.texts)
    return { data: value.texts, dims: value.dims };
  const bytes = new Uint8Array(Buffer.from(value.data, 'base64'));
  return { data: new globalThis[value.array](bytes.buffer), dims: value.dims };
}

function encode(value) {
  if (value === null)
    return null;
  if (Array.isArray(value))
    return value.map(encode);
  if (value.keys)
    return { keys: encode(value.keys), values: encode(value.values) };
  if (value.type === 'string')
    return { texts: value.data, dims: value.dims };
  const { buffer, byteOffset, byteLength } = value.data;
  return {
    data: Buffer.from(buffer, byteOffset, byteLength).toString('base64'),
    dims: value.dims,
    type: value.type,
  };
}

const map = (values, of) => Object.fromEntries(
  Object.entries(values).map(([name, value]) => [name, of(value)]));

for (const line of readFileSync(process.argv[2], 'utf8').trim().split('\n')) {
  const task = JSON.parse(line);
  try {
    const { load } = await import(pathToFileURL(task.loader));
    const model = await load();
    console.log(JSON.stringify({
      runs: task.runs.map((inputs) => map(model.run(map(inputs, decode)), encode)),
    }));
  } catch (error) {
    console.log(JSON.stringify({ error: String(error) }));
  }
}
