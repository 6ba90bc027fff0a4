import { deleteTemplate, publishTemplate, updateTemplate } from './endpoints/change.ts';
import { createTemplate } from './endpoints/create.ts';
import { listTemplates } from './endpoints/list.ts';
import { nameTemplates } from './endpoints/names.ts';
import { previewTemplate } from './endpoints/preview.ts';
import { listStarters, listVersions, readTemplate } from './endpoints/read.ts';
import type { TemplateKind } from './kind.ts';

/**
 * The endpoints of a service's templates and the internal action that names them, under their short names. The service adds `templates.test` itself, because
 * each service sends tests differently.
 */
export function templateActions(kind: TemplateKind) {
  return {
    'templates.list': listTemplates(kind),
    'templates.create': createTemplate(kind),
    'templates.read': readTemplate(kind),
    'templates.versions': listVersions(kind),
    'templates.update': updateTemplate(kind),
    'templates.delete': deleteTemplate(kind),
    'templates.publish': publishTemplate(kind),
    'templates.preview': previewTemplate(kind),
    'templates.starters': listStarters(kind),
    'templates.names': nameTemplates(kind),
  };
}
