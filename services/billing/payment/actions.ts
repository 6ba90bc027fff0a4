import { actOnCheckout } from './checkouts/act-on-checkout.ts';
import { openCheckoutAction } from './checkouts/open-checkout.ts';
import { toCheckoutResponse } from './checkouts/show-checkout.ts';
import { moveClock, resetClock } from './clock/move-clock.ts';
import { clock } from './console/clock.ts';
import { give } from './console/give.ts';
import { decline, pay } from './console/pay.ts';
import { showOrganization } from './console/show.ts';
import { receiveWebhook } from './webhooks/receive-webhook.ts';

export const paymentActions = {
  'checkouts.open': openCheckoutAction,
  'checkouts.show': toCheckoutResponse,
  'checkouts.act': actOnCheckout,
  'webhooks.receive': receiveWebhook,
  'clock.move': moveClock,
  'clock.reset': resetClock,
  'console.pay': pay,
  'console.decline': decline,
  'console.give': give,
  'console.show': showOrganization,
  'console.clock': clock,
};
