import { type Ctx, call } from '../../../lib/contract/context.ts';
import { orNull } from '../../../lib/contract/errors.ts';
import { type Html, html } from '../../../web/html.ts';
import { texts } from './texts.ts';

type Service = 'mail' | 'notification';
type Template = { name: string; isDeleted: boolean };

/** The templates of messages by their ids. */
export type TemplateNames = ReadonlyMap<string, Template>;

type Sent = { templateId: string | null };

/** Reads the names of the templates of messages in one query; none while their service is away. */
export async function readTemplateNames(
  ctx: Ctx,
  { service, orgId, messages }: { service: Service; orgId: string; messages: readonly Sent[] },
): Promise<TemplateNames> {
  const templateIds = [...new Set(messages.flatMap(({ templateId }) => templateId ?? []))];
  if (templateIds.length === 0) return new Map();
  const found = await orNull(call(ctx, `${service}.templates.names`, { body: { orgId, templateIds } }), 'UNAVAILABLE');
  return new Map((found?.templates ?? []).map(({ id, ...template }) => [id, template]));
}

/** Renders the name of a message's template, its id when it is not stored; null without a template. */
export function renderTemplateName(names: TemplateNames, { templateId }: Sent): Html | null {
  if (templateId === null) return null;
  const template = names.get(templateId);
  if (!template) return html`<code class="id">${templateId}</code>`;
  return template.isDeleted ? texts().deletedTemplate(template.name) : html`<bdi>${template.name}</bdi>`;
}
