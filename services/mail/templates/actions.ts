import { type TemplateActions, templateActions } from '../../../messaging/templates/actions.ts';
import { mailTemplates } from './kind.ts';
import { testTemplate } from './templates.actions.ts';

export const mailTemplateActions = { ...templateActions(mailTemplates), 'templates.test': testTemplate };

declare module '../../../lib/contract/context.ts' {
  interface Calls {
    'mail.templates.list': TemplateActions['templates.list'];
    'mail.templates.create': TemplateActions['templates.create'];
    'mail.templates.read': TemplateActions['templates.read'];
    'mail.templates.update': TemplateActions['templates.update'];
    'mail.templates.delete': TemplateActions['templates.delete'];
    'mail.templates.publish': TemplateActions['templates.publish'];
    'mail.templates.preview': TemplateActions['templates.preview'];
    'mail.templates.starters': TemplateActions['templates.starters'];
  }
}
