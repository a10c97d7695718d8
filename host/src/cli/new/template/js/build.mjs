// Makes the component {{name}}.wasm of src/{{name}}.js: node build.mjs [COMPONENT]
import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { componentize } from '@bytecodealliance/componentize-js';

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const { abiMcp } = JSON.parse(await readFile(here('package.json'), 'utf8'));

const { component } = await componentize({
  sourcePath: here('src/{{name}}.js'),
  witPath: here('wit'),
  worldName: abiMcp.world,
  // What is disabled is not imported, and what is not imported need not be granted. README.md says what each would bring.
  disableFeatures: abiMcp.disableFeatures,
});

// Who this is and what it asks for, in the section where the host looks for it.
function section(name, text) {
  const bytes = (value) => [...new TextEncoder().encode(value)];
  const number = (value) => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);
  const content = [...number(bytes(name).length), ...bytes(name), ...bytes(text)];
  return Uint8Array.from([0, ...number(content.length), ...content]);
}

const output = process.argv[2] ?? here('{{name}}.wasm');
const manifest = section('abi-mcp-manifest', JSON.stringify(abiMcp.manifest));
await writeFile(output, Buffer.concat([component, manifest]));
console.log(`${output}: ${component.length + manifest.length} bytes`);
