import mongoose from 'mongoose';
import { createMailDelivery } from '../../../services/mail/delivery.ts';
import { smtpTransport } from '../../../services/mail/transports/smtp.ts';
import { quietLogger } from '../../support/quiet-logger.ts';

/*
 * A node that delivers mail, as an entry of its own: `mail-node.ts <database url> <smtp url> <name in leases>`. It
 * says `ready`, and delivers until it is killed.
 */

const [url = '', smtpUrl = '', owner] = process.argv.slice(2);
await mongoose.connect(url, { dbName: 'platform', autoIndex: false });
const noBroker = { call: () => Promise.reject(new Error('No other service runs here.')) } as never;
const delivery = createMailDelivery(smtpTransport(smtpUrl), noBroker, quietLogger, owner);
const running = delivery.run(new AbortController().signal);
process.stdout.write('ready\n');
await running;
