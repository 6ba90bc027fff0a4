import { createRequire } from 'node:module';

type MjmlProblem = { line?: number; tagName?: string; message?: string };
type Core = {
  default: (source: string, options: object) => Promise<{ html: string; errors?: MjmlProblem[] }>;
  components: object;
  assignComponents: (target: object, components: object[]) => void;
};
type Preset = { components: object[]; dependencies: object };
type Validator = { dependencies: object; assignDependencies: (target: object, dependencies: object) => void };

let core: Core | undefined;

/** Loads MJML on first use, because it takes a second and 70 MB, and only in a thread that ends when idle. */
function loadMjml(): Core {
  const load = createRequire(import.meta.url);
  const loaded = load('mjml-core') as Core;
  const preset = load('mjml-preset-core') as Preset;
  const validator = load('mjml-validator') as Validator;
  loaded.assignComponents(loaded.components, preset.components);
  validator.assignDependencies(validator.dependencies, preset.dependencies);
  return loaded;
}

/** Compiles MJML to HTML, or returns its problems as sentences. Reads no file and references no external font. */
export async function compileMjml(source: string): Promise<{ html: string } | { problems: string[] }> {
  if (/<mj-include\b/i.test(source)) return { problems: ['<mj-include> is not allowed.'] };
  core ??= loadMjml();
  try {
    const options = { validationLevel: 'strict', fonts: {}, ignoreIncludes: true, keepComments: false };
    const { html } = await core.default(source, options);
    return { html: html.replace(/^[ \t]+$/gm, '').replace(/\n{2,}/g, '\n') };
  } catch (error) {
    return { problems: sentencesOf(error) };
  }
}

/** The validator's problems, or one sentence if the input cannot be parsed. */
function sentencesOf(error: unknown): string[] {
  const { errors } = error as { errors?: MjmlProblem[] };
  const sentences = (errors ?? []).flatMap(({ line, tagName, message }) =>
    message ? [`Line ${line ?? 1}, ${tagName ?? 'mjml'}: ${message}`.slice(0, 300)] : [],
  );
  return sentences.length > 0
    ? sentences.slice(0, 20)
    : ['Not valid MJML: <mjml> with <mj-body> is required, and all tags must be closed.'];
}
