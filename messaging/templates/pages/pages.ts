import type { Action } from '../../../lib/contract/define-action.ts';
import { type OrganizationVisit, organizationPage } from '../../../web/organization-page.ts';
import type { PageAnswer } from '../../../web/page.ts';
import { deleteTemplate, publishVersion, removeLocale, saveTemplate, sendTest } from './changes.ts';
import { showTemplate } from './editor.ts';
import type { EditorKind } from './editor-kind.ts';
import { createTemplate, renderNewTemplate, renderTemplates } from './list.ts';
import { showDraft, showStored } from './preview.ts';

/** An encoded content may be three times as long as in JSON, where an endpoint takes 512 KB. */
const bodyBytes = 1536 * 1024;

type Rest = Parameters<typeof organizationPage>[1]['rest'];

/** The pages of a service's templates in the console. */
export function templatePages(kind: EditorKind): Record<string, Action> {
  const page = (
    rest: Rest,
    summary: string,
    handler: (kind: EditorKind, visit: OrganizationVisit) => PageAnswer | Promise<PageAnswer>,
  ): Action =>
    organizationPage(kind.area, { rest, summary, bodyBytes, handler: async (visit) => await handler(kind, visit) });
  const one = `a ${kind.service} template`;
  return {
    'pages.console.templates.list': page(
      'GET',
      `Show the ${kind.service} templates of an organization`,
      renderTemplates,
    ),
    'pages.console.templates.new': page('GET /new', `Show the form of ${one}`, (_kind, visit) =>
      renderNewTemplate(kind, visit),
    ),
    'pages.console.templates.create': page('POST /new', `Create ${one} on its page`, createTemplate),
    'pages.console.templates.show': page('GET /:templateId', `Show the editor of ${one}`, showTemplate),
    'pages.console.templates.save': page('POST /:templateId', `Save ${one} as a draft, or publish it`, saveTemplate),
    'pages.console.templates.preview': page('GET /:templateId/preview', `Show a version of ${one}`, showStored),
    'pages.console.templates.draft': page('POST /:templateId/preview', `Show a draft of ${one}`, showDraft),
    'pages.console.templates.publish': page('POST /:templateId/publish', `Publish a version of ${one}`, publishVersion),
    'pages.console.templates.test': page('POST /:templateId/test', `Send a test of ${one}`, sendTest),
    'pages.console.templates.remove-language': page(
      'POST /:templateId/languages/remove',
      `Remove a language of ${one}`,
      removeLocale,
    ),
    'pages.console.templates.delete': page('POST /:templateId/delete', `Delete ${one} on its page`, deleteTemplate),
  };
}
