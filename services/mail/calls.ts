/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'mail.console.queue': typeof import('./mail.service.ts').operator['console.queue'];
    'mail.console.redrive': typeof import('./mail.service.ts').operator['console.redrive'];
    'mail.customers.erase': typeof import('./retention.ts').eraseCustomer;
    'mail.feedback.postmark': typeof import('./feedback/postmark.ts').receivePostmark;
    'mail.feedback.receive': typeof import('./feedback/signed.ts').receiveFeedback;
    'mail.feedback.ses': typeof import('./feedback/ses.ts').receiveSes;
    'mail.mailbox.list': typeof import('./mailbox.ts').listMailbox;
    'mail.mailbox.read': typeof import('./mailbox.ts').readMailbox;
    'mail.messages.list': typeof import('./messages/read-messages.ts').listMessages;
    'mail.messages.read': typeof import('./messages/read-messages.ts').readMessage;
    'mail.messages.resend': typeof import('./messages/resend.ts').resendMail;
    'mail.messages.send': typeof import('./messages/send.ts').sendMail;
    'mail.notifications.send': typeof import('./messages/send-notification.ts').sendNotification;
    'mail.operator.dead-letters.list': typeof import('./mail.service.ts').deadLetters['operator.dead-letters.list'];
    'mail.operator.dead-letters.redrive': typeof import('./mail.service.ts').deadLetters['operator.dead-letters.redrive'];
    'mail.organizations.erase': typeof import('./retention.ts').eraseOrganization;
    'mail.quota.settle': typeof import('./messages/store.ts').settleQuota;
    'mail.settings.read': typeof import('./sender-settings.ts').readSettings;
    'mail.settings.write': typeof import('./sender-settings.ts').writeSettings;
    'mail.suppressions.create': typeof import('./suppressions.ts').createSuppression;
    'mail.suppressions.delete': typeof import('./suppressions.ts').deleteSuppression;
    'mail.suppressions.list': typeof import('./suppressions.ts').listSuppressions;
    'mail.system.send': typeof import('./system-mail.ts').sendSystemMail;
    'mail.system.status': typeof import('./system-mail.ts').readMailStatus;
    'mail.templates.create': typeof import('./mail.service.ts').templates['templates.create'];
    'mail.templates.delete': typeof import('./mail.service.ts').templates['templates.delete'];
    'mail.templates.list': typeof import('./mail.service.ts').templates['templates.list'];
    'mail.templates.names': typeof import('./mail.service.ts').templates['templates.names'];
    'mail.templates.preview': typeof import('./mail.service.ts').templates['templates.preview'];
    'mail.templates.publish': typeof import('./mail.service.ts').templates['templates.publish'];
    'mail.templates.read': typeof import('./mail.service.ts').templates['templates.read'];
    'mail.templates.starters': typeof import('./mail.service.ts').templates['templates.starters'];
    'mail.templates.test': typeof import('./templates/templates.actions.ts').testTemplate;
    'mail.templates.update': typeof import('./mail.service.ts').templates['templates.update'];
    'mail.templates.versions': typeof import('./mail.service.ts').templates['templates.versions'];
  }
}

export {};
