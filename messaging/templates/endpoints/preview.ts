import { z } from 'zod';
import { defineAction } from '../../../lib/contract/define-action.ts';
import { inputError } from '../../../lib/contract/errors.ts';
import { exampleId } from '../../../lib/contract/examples.ts';
import { limits, localeTag, type RenderedContent } from '../content.ts';
import { type Schemas, schemaNameOf, schemasOf, type TemplateKind } from '../kind.ts';
import { TemplateError } from '../liquid.ts';
import { renderVersion, sampleVariables, variablesInput } from '../rendering.ts';
import { turnOf } from '../turns.ts';
import { compileDraft, draftOf, findTemplate, findVersion } from '../versions.ts';
import { withParts } from './create.ts';

/**
 * POST of …/preview: renders a version with the given variables and with samples for the others. `withoutOptional`
 * omits the samples of optional variables. `draft` replaces parts without storing them, for an editor.
 */
export function previewTemplate(kind: TemplateKind) {
  const { path, draft } = schemasOf(kind);
  const output = outputOf(kind);
  return defineAction({
    rest: `POST ${kind.path}/:templateId/preview`,
    summary: `Preview a ${kind.service} template`,
    description:
      'Renders a version with the variables that you send and the samples of the others, and sends nothing. With ' +
      '`draft`, parts are replaced without being stored, as an editor does while its user types.',
    permission: kind.permissions.read,
    tenant: 'required',
    input: { path, body: inputOf(kind, draft) },
    output,
    errors: ['NOT_FOUND'],
    limits: { bodyBytes: limits.bodyBytes },
    example: {
      path: { templateId: exampleId('tpl', kind.service) },
      body: { variables: { name: 'Grace' } },
      output: { version: 1, locale: null, text: 'Hello Grace' },
    },
    async handler({ path: { templateId }, body: given, caller: { orgId }, ctx }) {
      const turn = await turnOf(ctx, orgId);
      const template = await findTemplate(kind, orgId, templateId);
      const stored = await findVersion(kind, template, given.version);
      const version = { ...stored };
      if (given.draft) {
        const { variables = stored.variables, ...changed } = given.draft;
        const draft = draftOf(stored);
        const content = withParts(draft.content, changed);
        version.variables = variables;
        version.contents = await compileDraft(kind, turn, { ...draft, variables, content });
      }
      const values = { ...builtInSamples(kind), ...sampleVariables(version, given.variables, given.withoutOptional) };
      try {
        const { locale, ...content } = await renderVersion(turn, version, { locale: given.locale, variables: values });
        const { category } = version;
        const completed = kind.complete?.(content, { category, locale: given.locale ?? null, values }) ?? content;
        return { version: version.version, locale, ...completed };
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        throw inputError([{ path: 'body.variables', message: error.message }]);
      }
    },
  });
}

function inputOf(kind: TemplateKind, draft: Schemas['draft']) {
  return z
    .strictObject({
      version: z.int().min(1).optional().describe('The number of the version; by default the latest one.'),
      locale: localeTag.optional(),
      variables: variablesInput.optional(),
      withoutOptional: z.boolean().optional().describe('Whether the samples of optional variables are omitted.'),
      draft: draft.optional().describe('Parts to show in place of the stored ones. Nothing is stored.'),
    })
    .meta({ id: `${schemaNameOf(kind)}PreviewInput` });
}

function outputOf(kind: TemplateKind): z.ZodType<{ version: number; locale: string | null } & RenderedContent> {
  const names = Object.keys(kind.parts).flatMap((part) =>
    part === 'mjml' || part === 'html' ? ['html', 'text'] : [part],
  );
  // A recursive JSON schema would refer to definitions that the API document does not contain.
  const rendered = names.map((name) => [name, (name === 'options' ? z.unknown() : z.string()).optional()]);
  const shape = {
    version: z.int().describe('The number of the version.'),
    locale: z.string().nullable(),
    ...Object.fromEntries(rendered),
  };
  return z.strictObject(shape).meta({ id: `${schemaNameOf(kind)}Preview` }) as unknown as ReturnType<typeof outputOf>;
}

const builtInSamples = ({ builtIn }: TemplateKind): Record<string, string> =>
  Object.fromEntries(builtIn.map((name) => [name, `https://example.com/${name}`]));
