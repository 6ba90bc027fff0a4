/** Event template of every POST of the benchmarks, with the placeholders of `HttpRequest`: about 500 bytes. */
export function eventTemplate(tenantId: string): string {
  return JSON.stringify({
    schemaVersion: '1.0',
    tenantId,
    eventId: '<eventId>',
    eventName: 'order.created',
    occurredAt: '<now>',
    actor: { type: 'customer', id: 'C-<customer>' },
    source: { system: 'bench', channel: 'web' },
    payload: {
      orderId: '<eventId>',
      totalAmount: 49.9,
      currency: 'EUR',
      customer: { email: 'customer.<customer>@example.com' },
      items: [
        { sku: 'MUG-BLUE', name: 'Blue stoneware mug', unitPrice: 18, quantity: 2 },
        { sku: 'FILTER-100', name: 'Paper filters, 100', unitPrice: 13.9, quantity: 1 },
      ],
    },
  });
}
