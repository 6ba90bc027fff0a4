import { createClient, type ItemOf, PlatformError, type Schemas } from 'platform-sdk';

const client = createClient({ url: 'http://localhost:3000', token: async () => 'svc_live_' });

const application: Schemas['Application'] = await client.post('/applications', {
  body: { name: 'Shop', slug: 'shop' },
});
const page = await client.get('/applications', { query: { limit: 20 } });
const names: string[] = page.data.map(({ name }) => name);
await client.get('/applications');
for await (const { slug } of client.list('/applications')) names.push(slug);
for await (const invoice of client.list('/v1/orgs/{orgId}/invoices', { path: { orgId: 'org_' } })) {
  const amount: number = invoice.amount;
  names.push(String(amount));
}
const item: ItemOf<'/applications'> = application;
const nothing: undefined = await client.delete('/applications/{slug}', { path: { slug: item.slug } });
const invoice: Response = await client.get('/v1/invoices/{invoiceId}/pdf', { path: { invoiceId: 'inv_' } });
await client.put('/v1/objects/{bucket}/{key}', { path: { bucket: 'a', key: 'b' }, body: new Blob(['c']) });
for await (const { event, data } of client.stream('/v1/connect/stream')) names.push(event, String(data.siteId));
const code: string = new PlatformError('', { status: 404, code: 'NOT_FOUND' }).code;

// @ts-expect-error There is no such path.
await client.get('/application');
// @ts-expect-error The path has no such method.
await client.put('/applications', { body: { name: 'Shop', slug: 'shop' } });
// @ts-expect-error The body is required.
await client.post('/applications');
// @ts-expect-error The slug is required.
await client.post('/applications', { body: { name: 'Shop' } });
// @ts-expect-error The body has no such field.
await client.post('/applications', { body: { name: 'Shop', slug: 'shop', colour: 'red' } });
// @ts-expect-error The parameter of the path is required.
await client.get('/applications/{slug}');
// @ts-expect-error The limit is a number.
await client.get('/applications', { query: { limit: 'many' } });
// @ts-expect-error The query has no such parameter.
await client.get('/applications', { query: { size: 20 } });
// @ts-expect-error An application has no such field.
names.push(application.colour);
// @ts-expect-error One resource is not a list.
client.list('/identity/me');
// @ts-expect-error A list is not a stream.
client.stream('/applications');
// @ts-expect-error The catalogue has no such code.
new PlatformError('', { status: 404, code: 'NO_SUCH_CODE' });

export { code, invoice, names, nothing };
