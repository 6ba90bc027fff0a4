/** How a subscription is named that began with a checkout, where the platform itself names it. */
export function subscriptionIdFor(checkoutId: string): string {
  return checkoutId.replace(/^chk_/, 'sub_');
}
