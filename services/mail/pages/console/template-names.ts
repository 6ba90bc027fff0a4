import type { TemplateDocument } from '../../../../messaging/templates/documents.ts';
import { TemplateModel } from '../../../../models/mail/template.ts';
import { type Html, html } from '../../../../web/html.ts';
import { texts } from './texts.ts';

/** The templates of messages by their ids. */
export type Templates = ReadonlyMap<string, Pick<TemplateDocument, 'name' | 'deletedAt'>>;

type Sent = { templateId: string | null };

/** Reads the templates of these messages in one query; deleted ones too, which no endpoint lists. */
export async function templatesOf(orgId: string, messages: readonly Sent[]): Promise<Templates> {
  const ids = [...new Set(messages.flatMap(({ templateId }) => templateId ?? []))];
  if (ids.length === 0) return new Map();
  const found = await TemplateModel.find({ orgId, _id: { $in: ids } }, { name: 1, deletedAt: 1 }).lean<
    TemplateDocument[]
  >();
  return new Map(found.map((template) => [template._id, template]));
}

/** Renders the name of a message's template, its id when it is no longer stored; null without a template. */
export function renderTemplateName(templates: Templates, { templateId }: Sent): Html | null {
  if (templateId === null) return null;
  const template = templates.get(templateId);
  if (!template) return html`<code class="id">${templateId}</code>`;
  return template.deletedAt === null ? html`<bdi>${template.name}</bdi>` : texts().deletedTemplate(template.name);
}
