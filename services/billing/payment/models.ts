import { CheckoutModel } from '../../../models/billing/checkout.ts';
import { TestOutcomeModel, TestSubscriptionModel } from '../../../models/billing/test-payment.ts';
import { WebhookModel } from '../../../models/billing/webhook.ts';

/** The models whose indexes payments need. */
export const paymentModels = [CheckoutModel, TestOutcomeModel, TestSubscriptionModel, WebhookModel];
