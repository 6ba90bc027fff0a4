import { model } from 'mongoose';
import {
  type TemplateDocument,
  type TemplateVersionDocument,
  templateSchema,
  templateVersionSchema,
} from '../../messaging/templates/documents.ts';

/** The templates of mail, and their versions. */
export const TemplateModel = model<TemplateDocument>('MailTemplate', templateSchema('mail_templates'));
export const TemplateVersionModel = model<TemplateVersionDocument>(
  'MailTemplateVersion',
  templateVersionSchema('mail_template_versions'),
);
