import { answerRequests } from '../../../../lib/concurrency/worker-thread.ts';
import { renderInvoice } from './render-invoice.ts';

answerRequests(renderInvoice);
