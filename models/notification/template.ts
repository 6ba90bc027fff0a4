import { model } from 'mongoose';
import {
  type TemplateDocument,
  type TemplateVersionDocument,
  templateSchema,
  templateVersionSchema,
} from '../../messaging/templates/documents.ts';

export const TemplateModel = model<TemplateDocument>('NotificationTemplate', templateSchema('notification_templates'));

export const TemplateVersionModel = model<TemplateVersionDocument>(
  'NotificationTemplateVersion',
  templateVersionSchema('notification_template_versions'),
);
