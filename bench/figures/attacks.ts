import { randomBytes, randomUUID } from 'node:crypto';
import sharp from 'sharp';
import { type Event, eventAbout } from '../../test/support/events.ts';
import type { HostileRequest } from '../load/hostile-load.ts';
import type { MailServer } from '../servers/mail-server.ts';
import { headersOf, type Platform } from '../servers/platform.ts';
import { askJson } from './mail.ts';

const kibibyte = 1024;

/** The platform, the attacking organization, and the mail server. The first organization is measured. */
export type Scene = { platform: Platform; attacker: { orgId: string; apiKey: string }; server: MailServer };

export type Attack = {
  name: string;
  lanes: number;
  requests: (scene: Scene) => Promise<HostileRequest[]> | HostileRequest[];
};

export const attacks: Attack[] = [
  {
    name: '64 overwrites of one key at a time',
    lanes: 64,
    requests: (scene) => [{ ...uploadOf(scene, 'same.txt'), body: 'content <n>' }],
  },
  {
    name: 'buckets that are created and deleted',
    lanes: 8,
    requests: (scene) => {
      const { platform, attacker } = scene;
      const name = `b-${randomBytes(6).toString('hex')}-<n>`;
      const url = `${platform.storageUrl}/v1/buckets`;
      return [
        { method: 'POST', url, headers: jsonHeaders(attacker), body: JSON.stringify({ name }) },
        { method: 'DELETE', url: `${url}/${name}`, headers: headersOf(attacker) },
      ];
    },
  },
  {
    name: 'anonymous images of a large picture, each new',
    lanes: 40,
    requests: async (scene) => {
      const { platform, attacker } = scene;
      const picture = await newPicture();
      const headers = { ...headersOf(attacker), 'Content-Type': 'image/jpeg' };
      const url = `${platform.storageUrl}/v1/objects/${attacker.orgId}/picture.jpg`;
      await fetch(url, { method: 'PUT', headers, body: picture });
      const image = `${platform.storageUrl}/cdn/${attacker.orgId}/picture.jpg`;
      return Array.from({ length: 400 }, (_none, index) => ({
        method: 'GET',
        url: `${image}?w=${400 + index * 4}&q=${60 + (index % 40)}`,
        headers: {},
      }));
    },
  },
  {
    name: 'mails with unreadable attachments',
    lanes: 8,
    requests: async (scene) => {
      const { platform, attacker } = scene;
      const upload = uploadOf(scene, 'gone.txt');
      await fetch(upload.url, { method: 'PUT', headers: upload.headers, body: 'gone' });
      const templateId = await createTemplate(scene, 'Hello.');
      const attachments = [{ bucket: attacker.orgId, key: 'gone.txt' }];
      const body = JSON.stringify({ to: 'to-<n>@example.com', templateId, variables: {}, attachments });
      const url = `${addressOf(platform)}/v1/mail/send`;
      const remove = { method: 'DELETE', url: upload.url, headers: headersOf(attacker) };
      return [...Array(20).fill({ method: 'POST', url, headers: jsonHeaders(attacker), body }), remove, upload];
    },
  },
  {
    name: 'previews of a slow template',
    lanes: 8,
    requests: async (scene) => {
      const { platform, attacker } = scene;
      const text = '{% for a in (1..100) %}{% for b in (1..100) %}{{ a | times: b }}{% endfor %}{% endfor %}';
      const templateId = await createTemplate(scene, text);
      const url = `${addressOf(platform)}/v1/mail/templates/${templateId}/preview`;
      return [{ method: 'POST', url, headers: jsonHeaders(attacker), body: '{}' }];
    },
  },
  {
    name: 'bodies of 786 KB without a credential',
    lanes: 100,
    requests: ({ platform }) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': '<address>' };
      const url = `${addressOf(platform)}/events/batch`;
      return [{ method: 'POST', url, headers, body: '{"events":"', paddingBytes: 786 * kibibyte }];
    },
  },
  {
    name: 'guesses at passwords, 60 at a time, each from a separate network',
    lanes: 60,
    requests: async ({ platform }) => [await guess(platform)],
  },
  {
    name: 'chat sessions and files of anonymous visitors',
    lanes: 40,
    requests: async ({ platform, attacker }) => [await sessionOf(platform, attacker), await fileOf(platform, attacker)],
  },
  { name: 'batches of 500 new events on 8 connections', lanes: 8, requests: (scene) => batchesOf(scene, '<uuid>') },
  { name: 'batches of 500 repeated events on 8 connections', lanes: 8, requests: (scene) => batchesOf(scene) },
];

/** Twenty batches of events, with a new id each unless all share `eventId`. */
function batchesOf({ platform, attacker }: Scene, eventId?: string): HostileRequest[] {
  const url = `${addressOf(platform)}/events/batch`;
  const event = () => ({ ...newEvent(attacker.orgId), ...(eventId !== undefined && { eventId }) });
  return Array.from({ length: 20 }, () => {
    const events = Array.from({ length: 500 }, event);
    return { method: 'POST', url, headers: jsonHeaders(attacker), body: JSON.stringify({ events }) };
  });
}

export const addressOf = ({ port }: Platform): string => `http://127.0.0.1:${port}`;

export const jsonHeaders = (party: { orgId: string; apiKey: string }) => ({
  ...headersOf(party),
  'Content-Type': 'application/json',
});

function uploadOf({ platform, attacker }: Scene, key: string): HostileRequest {
  const url = `${platform.storageUrl}/v1/objects/${attacker.orgId}/${key}`;
  return { method: 'PUT', url, headers: { ...headersOf(attacker), 'Content-Type': 'text/plain' } };
}

async function createTemplate({ platform, attacker }: Scene, text: string): Promise<string> {
  const body = JSON.stringify({ name: `Template ${randomUUID()}`, subject: 'Hello', text, variables: [] });
  return (
    await askJson<{ id: string }>(platform.port, { path: '/v1/mail/templates', headers: headersOf(attacker), body })
  ).id;
}

/** An event about one of a thousand customers. */
export const newEvent = (tenantId: string): Event =>
  eventAbout(tenantId, `customer-${Math.floor(Math.random() * 1000)}`, {
    payload: { orderId: randomUUID(), total: 10, currency: 'EUR' },
  });

/** A login with a wrong password and the cookie and token of one form. */
async function guess(platform: Platform): Promise<HostileRequest> {
  const page = await fetch(`${addressOf(platform)}/self-service/login/browser`);
  const flow = /name="flow" value="([^"]*)"/.exec(await page.text())?.[1];
  if (!flow) throw new Error('The login page has no form');
  const cookie = page.headers.getSetCookie().map((line) => line.split(';')[0]);
  const fields = { flow, email: platform.adminEmail, password: 'a guess <n>' };
  return {
    method: 'POST',
    url: `${addressOf(platform)}/self-service/login`,
    headers: {
      Cookie: cookie.join('; '),
      Origin: platform.publicUrl,
      'Content-Type': 'application/x-www-form-urlencoded',
      'X-Forwarded-For': '<address>',
    },
    body: String(new URLSearchParams(fields)),
  };
}

const shopOrigin = 'https://shop.example.com';
const widgetHeaders = { Origin: shopOrigin, 'Content-Type': 'application/json', 'X-Forwarded-For': '<address>' };

/** A new visitor's session at a website of an organization. */
async function sessionOf(platform: Platform, { orgId, apiKey }: Scene['attacker']): Promise<HostileRequest> {
  const settings = JSON.stringify({ allowedOrigins: [shopOrigin] });
  const url = `${addressOf(platform)}/v1/connect/settings`;
  await fetch(url, { method: 'PUT', headers: jsonHeaders({ orgId, apiKey }), body: settings });
  const body = JSON.stringify({ tenantId: orgId });
  return { method: 'POST', url: `${addressOf(platform)}/v1/widget/sessions`, headers: widgetHeaders, body };
}

/** A signed upload URL of a visitor, who uploads nothing to it. */
async function fileOf(platform: Platform, attacker: Scene['attacker']): Promise<HostileRequest> {
  const { url, headers, body } = await sessionOf(platform, attacker);
  const from = { ...headers, 'X-Forwarded-For': '2001:db8::1' };
  const answer = await fetch(url, { method: 'POST', headers: from, body: body ?? '' });
  const { visitorToken } = (await answer.json()) as { visitorToken: string };
  return {
    method: 'POST',
    url: `${addressOf(platform)}/v1/widget/attachments`,
    headers: { ...widgetHeaders, Authorization: `Bearer ${visitorToken}` },
    body: JSON.stringify({ fileName: 'file-<n>.png', mimeType: 'image/png', size: 1000 }),
  };
}

/** A photograph of three megapixels, with the noise that compressed images typically have. */
async function newPicture(): Promise<Buffer<ArrayBuffer>> {
  const create = { width: 2000, height: 1500, channels: 3 as const, background: '#888' };
  const noise = { type: 'gaussian' as const, mean: 128, sigma: 30 };
  const bytes = await sharp({ create: { ...create, noise } })
    .jpeg()
    .toBuffer();
  return Buffer.from(new Uint8Array(bytes));
}
