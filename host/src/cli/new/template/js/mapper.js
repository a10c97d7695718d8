// {{name}}: a mapper for manifests such as {"{{name}}": "1", "calls": [{"name": "hello", "takes": ["who"]}]}.
//
// Replace that format by yours. A mapper imports nothing and keeps nothing between calls: what encoding a call needs
// goes into the method's `plan`. `wit/mapper.wit` documents each item; JSON crosses as text, bytes as a `Uint8Array`.
// Numbers beyond 2^53 do not survive JSON.parse: pass such values on as the text they came in.

// The member only manifests of this format have.
const MARK = '{{name}}';

export const schema = {
  // Cheap, and never wrong about somebody else's format.
  recognise(manifest) {
    const release = releaseOf(parse(manifest));
    if (release === undefined) return undefined;
    return {
      ecosystem: MARK,
      format: `${MARK}/${release}`,
      subjectVersion: release,
      fit: release === '1' ? 'exact' : 'compatible',
      reasons: [`\`${MARK}\` is \`${release}\``],
    };
  },

  mapManifest(manifest, _options) {
    const methods = [];
    const skipped = [];
    for (const [index, call] of callsOf(manifest).entries()) {
      // One bad method is skipped with its reason and never loses the others.
      if (isCall(call)) methods.push(methodOf(call));
      else skipped.push({ method: `#${index}`, reason: 'expected a `name` and a list `takes` of names' });
    }
    return { methods, skipped, notes: [] };
  },
};

export const signature = {
  render(manifest, names) {
    const calls = callsOf(manifest).filter(isCall);
    return names.map((name) => {
      const call = calls.find((call) => call.name === name);
      if (call === undefined) throw malformed('calls', name);
      return `${name}(${call.takes.join(', ')})`;
    });
  },
};

export const codec = {
  // This format's runtime takes arguments as a list, in order.
  encodeArguments(plan, text) {
    const names = readPlan(plan);
    const values = readJson(text);
    return { json: JSON.stringify(names.map((name) => values?.[name] ?? null)), alternatives: [] };
  },

  // Never asked as long as `needsDecode` is false.
  decodeResult(_plan, value) {
    return value;
  },
};

function isCall(call) {
  const isText = (value) => typeof value === 'string';
  return isText(call?.name) && Array.isArray(call.takes) && call.takes.every(isText);
}

function methodOf({ name, takes }) {
  const properties = Object.fromEntries(takes.map((name) => [name, { type: 'string' }]));
  const input = { type: 'object', properties, required: takes, additionalProperties: false };
  return {
    name,
    title: undefined,
    doc: undefined,
    role: 'ordinary',
    access: 'unspecified',
    // Leave unsaid what the format does not say.
    destructive: undefined,
    idempotent: undefined,
    openWorld: undefined,
    category: undefined,
    keywords: [],
    parameters: takes.map((name) => ({ name, required: true, doc: undefined })),
    inputSchema: JSON.stringify(input),
    outputSchema: undefined,
    plan: new TextEncoder().encode(JSON.stringify(takes)),
    callSpec: undefined,
    needsEncode: true,
    needsDecode: false,
    meta: undefined,
  };
}

function parse(bytes) {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

function releaseOf(manifest) {
  const isObject = typeof manifest === 'object' && manifest !== null;
  const release = isObject && Object.hasOwn(manifest, MARK) ? manifest[MARK] : undefined;
  return typeof release === 'string' ? release : undefined;
}

// What is thrown is the contract's own variant; anything else stops the plugin.
function callsOf(bytes) {
  const manifest = parse(bytes);
  if (releaseOf(manifest) === undefined) throw { tag: 'not-recognised', val: `no JSON object with a text \`${MARK}\`` };
  if (!Array.isArray(manifest.calls)) throw malformed('calls', 'expected a list');
  return manifest.calls;
}

function malformed(at, problem) {
  return { tag: 'malformed', val: { at, problem } };
}

function readPlan(plan) {
  const names = parse(plan);
  if (!Array.isArray(names)) throw problem('the plan is none of this mapper');
  return names;
}

function readJson(text) {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw problem(error.message);
  }
}

function problem(message) {
  return [{ at: '', message }];
}
