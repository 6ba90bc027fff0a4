import { exampleId, exampleInstant } from '../../lib/examples.ts';
import type { TemplateKind, toTemplateResponse } from './kind.ts';

/** The template used for examples in the API document. */
export function exampleTemplate({ service, example }: TemplateKind): ReturnType<typeof toTemplateResponse> {
  return {
    id: exampleId('tpl', service),
    name: 'Order received',
    category: 'transactional',
    version: 1,
    liveVersion: 1,
    latestVersion: 1,
    ...example,
    locales: {},
    createdAt: exampleInstant,
    updatedAt: exampleInstant,
  };
}
