/** The id of a subscription that began with a checkout, where the platform itself assigns it. */
export function subscriptionIdFor(checkoutId: string): string {
  return checkoutId.replace(/^chk_/, 'sub_');
}
