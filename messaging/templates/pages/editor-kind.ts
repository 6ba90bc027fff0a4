import type { CallOutput } from '../../../lib/contract/context.ts';
import type { SystemPermission } from '../../../lib/contract/permissions.ts';
import type { FieldErrors } from '../../../web/fields.ts';
import type { Html } from '../../../web/html.ts';
import { type OrganizationVisit, pathOf } from '../../../web/organization-page.ts';
import type { Content } from '../content.ts';

export type Template = CallOutput<'mail.templates.read'>;

/** The parts of a content as an editor sends them; null for one that is empty. */
export type Parts = { [K in keyof Content]?: Content[K] | null };

/** The values of the fields of a form, by name. */
export type Typed = Readonly<Record<string, string>>;

/** A rendered content. */
export type Rendered = Pick<Template, 'subject' | 'html' | 'text'>;

/** The part of the template pages that a service defines: fields, preview and test. */
export type EditorKind = {
  service: 'mail' | 'notification';
  area: 'templates' | 'notificationTemplates';
  /** The names and descriptions of the starters, in the language of the page. */
  starters: () => Readonly<Record<string, { name: string; description: string }>>;
  /** The parts of a blank template, from its subject and its text. */
  blankOf: (blank: { subject: string; text: string }) => Content;
  /** The names of the fields of a content. */
  fields: readonly string[];
  /** The field that holds a part, where it has another name: `mjml` is in `body`. */
  fieldOf: Readonly<Record<string, string>>;
  /** The values of the fields for a content. */
  typedOf: (content: Content) => Typed;
  partsOf: (typed: Typed) => Parts;
  renderFields: (typed: Typed, errors: FieldErrors, isFixed: boolean) => Html;
  /** Renders what stands above a previewed content: the sender. */
  renderSender: (visit: OrganizationVisit) => Promise<Html | null>;
  /** Whether the text is the message, and HTML an addition. */
  isTextFirst: boolean;
  test: {
    permission: SystemPermission;
    fields: readonly string[];
    renderFields: (visit: OrganizationVisit, typed: Typed, errors: FieldErrors) => Html;
    /** Sends the latest version to whom the fields name. */
    send: (visit: OrganizationVisit, test: { templateId: string; typed: Typed; locale: string }) => Promise<unknown>;
  };
};

/** The path of a template's page, or of a page below it. */
export function templatePath(
  { area }: EditorKind,
  visit: OrganizationVisit,
  rest: readonly string[] = [],
  query: Record<string, string> = {},
): string {
  return pathOf(visit, area, rest, query);
}

/** The kind of the tokens of the forms about templates. */
export const templatesForm = 'templates';
