/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'notification.channels.create': typeof import('./channels/change-connection.ts').createConnection;
    'notification.channels.delete': typeof import('./channels/change-connection.ts').deleteConnection;
    'notification.channels.list': typeof import('./channels/connections.ts').listConnections;
    'notification.channels.read': typeof import('./channels/connections.ts').readConnection;
    'notification.channels.test': typeof import('./channels/test-connection.ts').testConnection;
    'notification.channels.update': typeof import('./channels/change-connection.ts').updateConnection;
    'notification.console.queue': typeof import('./notification.service.ts').operator['console.queue'];
    'notification.console.redrive': typeof import('./notification.service.ts').operator['console.redrive'];
    'notification.customers.erase': typeof import('./cleanup.ts').eraseCustomer;
    'notification.mailbox.list': typeof import('./pages/mailbox.ts').listMailbox;
    'notification.mailbox.read': typeof import('./pages/mailbox.ts').readMailbox;
    'notification.notifications.list': typeof import('./sending/notifications.ts').listNotifications;
    'notification.notifications.read': typeof import('./sending/notifications.ts').readNotification;
    'notification.notifications.resend': typeof import('./sending/resend.ts').resendNotification;
    'notification.notifications.send': typeof import('./sending/send.ts').sendNotification;
    'notification.operator.dead-letters.list': typeof import('./notification.service.ts').deadLetters['operator.dead-letters.list'];
    'notification.operator.dead-letters.redrive': typeof import('./notification.service.ts').deadLetters['operator.dead-letters.redrive'];
    'notification.organizations.erase': typeof import('./cleanup.ts').eraseOrganization;
    'notification.quota.settle': typeof import('./sending/content.ts').settleQuota;
    'notification.templates.create': typeof import('./notification.service.ts').templates['templates.create'];
    'notification.templates.delete': typeof import('./notification.service.ts').templates['templates.delete'];
    'notification.templates.list': typeof import('./notification.service.ts').templates['templates.list'];
    'notification.templates.names': typeof import('./notification.service.ts').templates['templates.names'];
    'notification.templates.preview': typeof import('./notification.service.ts').templates['templates.preview'];
    'notification.templates.publish': typeof import('./notification.service.ts').templates['templates.publish'];
    'notification.templates.read': typeof import('./notification.service.ts').templates['templates.read'];
    'notification.templates.starters': typeof import('./notification.service.ts').templates['templates.starters'];
    'notification.templates.test': typeof import('./templates/templates.actions.ts').testTemplate;
    'notification.templates.update': typeof import('./notification.service.ts').templates['templates.update'];
    'notification.templates.versions': typeof import('./notification.service.ts').templates['templates.versions'];
  }
}

export {};
