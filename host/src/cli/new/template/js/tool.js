// {{name}}: a tool extension.
//
// `list` says which tools there are, `call` runs one. Every call has a fresh instance: nothing is kept between calls.
// `wit/tool.wit` documents each item; JSON crosses as text.

import * as config from 'abi-mcp:tool/config@0.1.0';
import * as log from 'abi-mcp:tool/log@0.1.0';
import * as progress from 'abi-mcp:tool/progress@0.1.0';

const INPUT = {
  type: 'object',
  properties: { name: { type: 'string', description: 'whom to greet' } },
  required: ['name'],
  additionalProperties: false,
};

export const tools = {
  list() {
    return [{
      name: 'greet',
      title: undefined,
      description: 'Greets someone by name.',
      inputSchema: JSON.stringify(INPUT),
      outputSchema: undefined,
      hints: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
      category: undefined,
      keywords: [],
    }];
  },

  // The host has held the arguments to the schema, but trust nothing: `plugin check` does not.
  call(name, text) {
    if (name !== 'greet') throw refused('there is no such tool');
    const whom = read(text)?.name;
    if (typeof whom !== 'string' || whom.trim() === '') throw refused('`name` is missing or blank');
    log.write('debug', 'greeting someone');
    progress.report(1, 1, 'greeted');
    return { text: `${setting('word') ?? 'Hello'}, ${whom.trim()}.`, structured: undefined };
  },
};

// What the operator set under a key for this plugin; `undefined` where nothing is.
function setting(key) {
  const value = config.get(key);
  return value === undefined ? undefined : JSON.parse(value);
}

function read(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw refused(error.message);
  }
}

// An error the caller can mend. What is thrown is the contract's own record; anything else stops the plugin.
function refused(message) {
  return { class: 'arguments', message, hint: undefined };
}
