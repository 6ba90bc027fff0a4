/** The actions of the service by name, for typed calls. Written by `npm run generate`. */
declare module '../../lib/contract/context.ts' {
  interface Calls {
    'notification.channels.create': typeof import('./channels/change-connection.ts').createConnection;
    'notification.channels.delete': typeof import('./channels/change-connection.ts').deleteConnection;
    'notification.channels.list': typeof import('./channels/connections.ts').listConnections;
    'notification.channels.read': typeof import('./channels/connections.ts').readConnection;
    'notification.channels.test': typeof import('./channels/test-connection.ts').testConnection;
    'notification.channels.update': typeof import('./channels/change-connection.ts').updateConnection;
    'notification.customers.erase': typeof import('./cleanup.ts').eraseCustomer;
    'notification.mailbox.list': typeof import('./pages/mailbox.ts').listMailbox;
    'notification.mailbox.read': typeof import('./pages/mailbox.ts').readMailbox;
    'notification.notifications.list': typeof import('./sending/notifications.ts').listNotifications;
    'notification.notifications.read': typeof import('./sending/notifications.ts').readNotification;
    'notification.notifications.resend': typeof import('./sending/resend.ts').resendNotification;
    'notification.notifications.send': typeof import('./sending/send.ts').sendNotification;
    'notification.organizations.erase': typeof import('./cleanup.ts').eraseOrganization;
    'notification.quota.settle': typeof import('./sending/content.ts').settleQuota;
    'notification.templates.test': typeof import('./templates/templates.actions.ts').testTemplate;
  }
}

export {};
