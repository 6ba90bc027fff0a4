import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { AuditRecordDocument } from '../../../models/identity/audit-record.ts';
import type { ConsoleReply, ConsoleRequest } from '../../../runtime/operator/execute.ts';
import { connectConsole } from '../../../runtime/operator/socket.ts';
import { runTerminal } from '../../../runtime/operator/terminal.ts';
import { databaseUrlOf, withDatabase } from '../../support/database.ts';
import { visitorOf } from '../../support/pages.ts';
import { type Platform, startNode, startPlatform } from '../../support/platform.ts';
import { until } from '../../support/until.ts';
import { insertUser, sessionClientOf, testPassword } from '../../support/users.ts';

const secretKey = 'a-secret-key-of-more-than-32-characters';
let platform: Platform;

beforeAll(async () => {
  platform = await startPlatform({ env: { SECRET_KEY: secretKey, DEV_MAILBOX: 'yes' } });
});
afterAll(() => platform.stop());

/** The commands that the audit log has of an organization, or the platform, the oldest first. */
const auditRecordsOf = async (orgId: string) =>
  withDatabase(await databaseUrlOf(platform), (database) =>
    database
      .collection<AuditRecordDocument>('identity_audit_records')
      .find({ orgId, action: 'operator.command' }, { sort: { _id: 1 } })
      .toArray(),
  );

/** Runs a command as an operator does who has no terminal: its exit code and all that it printed. */
async function run(command: string, ...options: string[]): Promise<{ code: number | null; output: string }> {
  const node = startNode({ dataDir: platform.dataDir, services: ['-c', command, ...options] });
  return { code: await node.exited, output: node.output().trimEnd() };
}

/** Has the node execute a command by its socket, which spares a process; answers all of the reply as one text. */
async function executed(line: string): Promise<string> {
  const execute = await connectConsole(platform.dataDir);
  return JSON.stringify(await execute!({ line, as: null, isConfirmed: false }));
}

const runJson = async (command: string, ...options: string[]) => {
  const { code, output } = await run(command, '--json', ...options);
  return { code, answer: JSON.parse(output) };
};

describe("-c 'command' on a platform that runs", () => {
  test('prints what the command says, or one line of JSON', async () => {
    expect(await run('erasures')).toMatchObject({
      code: 0,
      output: expect.stringMatching(/^access\.organizations\.erase\nbilling/),
    });
    const { code, answer } = await runJson('platform-ready');
    expect(code).toBe(0);
    const data = [{ node: expect.any(String), missing: [] }];
    expect(answer).toEqual({ command: 'platform-ready', ok: true, data, lines: [`${answer.data[0].node}: ready`] });
    const execute = await connectConsole(platform.dataDir);
    const dataOf = async (line: string) => execute!({ line, as: null, isConfirmed: false });
    expect(await dataOf('jobs')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ attempts: 0 })]),
    });
    expect(await dataOf('nodes')).toMatchObject({
      text: expect.stringMatching(/^Node +State +Host .+\n\S+ \(this node\) +online /),
      data: [{ node: data[0]!.node, isAvailable: true }],
    });
    expect(await dataOf('services')).toMatchObject({
      data: expect.arrayContaining([expect.objectContaining({ service: 'identity' })]),
    });
    expect(await dataOf('actions')).toMatchObject({
      text: expect.stringMatching(/^identity\.me\.read +1 +GET \/identity\/me$/m),
      data: expect.arrayContaining(['identity.me.read']),
    });
    expect(await dataOf('events')).toMatchObject({ text: expect.stringContaining('Event') });
    expect(await dataOf('help jobs:run')).toMatchObject({
      text: expect.stringMatching(/^jobs:run <name> .+asks first/),
    });
  });

  test.each([
    ['load ./x.service.ts', 'COMMAND_INVALID'],
    ['loadFolder ./services', 'COMMAND_INVALID'],
    ['destroy identity', 'COMMAND_INVALID'],
    ['emit user.created', 'COMMAND_INVALID'],
    ['broadcast user.created', 'COMMAND_INVALID'],
    ['bench identity.me.read', 'COMMAND_INVALID'],
    ['jobs:run', 'COMMAND_INVALID'],
    ['jobs everything', 'COMMAND_INVALID'],
    ['call nothing.at.all {} --yes', 'SERVICE_NOT_FOUND'],
    ['call identity.me.read {', 'COMMAND_FAILED'],
    ['db:kill 4711 --yes', 'NOT_FOUND'],
    ['db:kill all --yes', 'NOT_FOUND'],
    ['jobs:run nothing.at-all --yes', 'COMMAND_FAILED'],
    ['platform-load nowhere hello --yes', 'COMMAND_FAILED'],
    ['platform-unload nowhere hello --yes', 'COMMAND_FAILED'],
    ['identity:trust org_1 --yes --as nobody@example.com', 'NOT_FOUND'],
  ])('%s fails with one line and the code %s', async (line, code) => {
    // Straight by the socket, which spares a process for each.
    const execute = await connectConsole(platform.dataDir);
    const reply = await execute!({ line, as: null, isConfirmed: false });
    expect(reply).toEqual({ kind: 'failed', code, message: expect.stringMatching(/^[^\n]+$/) });
  });

  test('prints a failure in one line, without a stack', async () => {
    expect(await run('call nothing.at.all {} --yes')).toEqual({
      code: 1,
      output: "SERVICE_NOT_FOUND: Service 'nothing.at.all' is not found.",
    });
  });

  test('shows the settings without a secret', async () => {
    const { output } = await run('env');
    expect(output).toMatch(/^SECRET_KEY=\*\*\*$/m);
    expect(output).toMatch(/^PUBLIC_URL=http/m);
    expect(output).not.toContain(secretKey);
    expect(await executed('info')).not.toContain(secretKey);
  });

  test('changes nothing without --yes', async () => {
    const { orgId } = platform.firstRun;
    const { code, output } = await run(`identity:trust ${orgId}`);
    expect({ code, output }).toEqual({
      code: 2,
      output: `identity:trust ${orgId} changes the platform, as the system user. Continue? Add --yes to run it.`,
    });
    expect((await runJson('call mail.console.redrive {"body":{"what":"all"}}')).answer.error.code).toBe(
      'CONFIRMATION_REQUIRED',
    );
    expect(await auditRecordsOf(orgId)).toEqual([]);
  });

  test('records what changes in the audit log, with the operator', async () => {
    const { orgId, adminEmail } = platform.firstRun;
    expect(await run(`identity:trust ${orgId}`, '--yes', '--as', adminEmail)).toMatchObject({ code: 0 });
    expect(await executed(`billing:give ${orgId} pro --yes`)).toContain('"kind":"done"');
    expect(await executed(`mail:redrive ${orgId} --yes`)).toContain('No such dead letter.');
    const target = (id: string) => ({ type: 'command', id });
    expect(await auditRecordsOf(orgId)).toMatchObject([
      {
        actor: { type: 'user', id: expect.stringMatching(/^usr_/) },
        target: target('identity:trust'),
        after: { arguments: orgId },
      },
      { actor: { type: 'system' }, target: target('billing:give'), after: { arguments: `${orgId} pro` } },
      { actor: { type: 'system' }, target: target('mail:redrive'), after: { arguments: orgId } },
    ]);
    expect(await executed(`audit ${orgId}`)).toContain(`operator.command  billing:give ${orgId} pro`);
  });

  test('records of a call the action alone', async () => {
    const password = 'a-password-in-parameters';
    await executed(`call identity.accounts.nothing '{"password":"${password}"}' --yes`);
    const records = await auditRecordsOf('platform');
    expect(records.at(-1)).toMatchObject({ after: { arguments: 'identity.accounts.nothing' } });
    expect(platform.output()).not.toContain(password);
  });
});

test('the console says when no platform runs on the folder', async () => {
  const node = startNode({ services: ['-c', 'jobs'] });
  expect(await node.exited).toBe(1);
  expect(node.output()).toMatch(/^No platform runs on DATA_DIR .+\. Start it, or set NATS_URL .+\.\n$/);
  await node.stop();
});

describe('the terminal of a node that serves', () => {
  const question = 'jobs:run x changes the platform. Continue?';

  /** A terminal whose commands are answered with their own text, and those of `jobs:run` only when confirmed. */
  function open() {
    const requests: ConsoleRequest[] = [];
    const execute = (request: ConsoleRequest): Promise<ConsoleReply> => {
      requests.push(request);
      if (request.line.startsWith('jobs:run') && !request.isConfirmed) {
        return Promise.resolve({ kind: 'confirm', question });
      }
      return Promise.resolve({ kind: 'done', text: `done: ${request.line}`, data: null });
    };
    const [input, output] = [new PassThrough(), new PassThrough()];
    let text = '';
    const stops: string[] = [];
    output.on('data', (bytes) => {
      text += bytes;
    });
    const closed = runTerminal({ execute, as: 'ada@example.com', input, output, stop: () => stops.push('stop') });
    const type = async (typed: string, shown: string) => {
      const before = text.length;
      input.write(typed);
      await until(() => text.slice(before).includes(shown));
    };
    return { type, closed, requests, stops };
  }

  test.each([
    ['exit', 'exit\r'],
    ['quit', 'quit\r'],
    ['Ctrl-D', '\u0004'],
  ])('is closed by %s, and the node runs on', async (_name, typed) => {
    const { type, closed, stops } = open();
    await type('jobs\r', 'done: jobs');
    await type(typed, 'the node runs on');
    await closed;
    expect(stops).toEqual([]);
  });

  test('stops the node only after a question', async () => {
    const { type, stops } = open();
    await type('stop\r', 'Stop it? [y/N]');
    await type('n\r', 'platform $');
    expect(stops).toEqual([]);
    await type('stop\r', 'Stop it? [y/N]');
    await type('y\r', 'platform $');
    expect(stops).toEqual(['stop']);
  });

  test('asks before a command that changes something', async () => {
    const { type, requests } = open();
    await type('jobs:run x\r', `${question} [y/N]`);
    await type('\r', 'Nothing was done.');
    await type('jobs:run x\r', `${question} [y/N]`);
    await type('yes\r', 'done: jobs:run x');
    expect(requests.map(({ isConfirmed, as }) => [isConfirmed, as])).toEqual([
      [false, 'ada@example.com'],
      [false, 'ada@example.com'],
      [true, 'ada@example.com'],
    ]);
  });
});

describe('npm run admin', () => {
  const form = '/self-service/login/browser';

  async function admin(...options: string[]): Promise<{ code: number | null; output: string }> {
    const node = startNode({ dataDir: platform.dataDir, entry: 'runtime/admin.ts', services: options });
    return { code: await node.exited, output: node.output().trimEnd() };
  }

  const logIn = async (email: string, password: string) =>
    (await visitorOf(platform.url).postFrom(form, '/self-service/login', { email, password })).status;

  test('gives a user a new password, ends their sessions, and keeps no copy of it', async () => {
    const user = await insertUser(await databaseUrlOf(platform));
    const session = sessionClientOf(platform.url, user.sessionToken);
    expect((await session.attempt('identity.me.read', {})).status).toBe(200);
    const { code, output } = await admin('--email', user.email.toUpperCase());
    expect(code).toBe(0);
    const [, password = ''] = /^The new password of \S+ is (\S{20})$/m.exec(output) ?? [];
    expect(await logIn(user.email, testPassword)).toBe(400);
    expect(await logIn(user.email, password)).toBe(303);
    await until(async () => (await session.attempt('identity.me.read', {})).status === 401);
    const [records, all] = await withDatabase(await databaseUrlOf(platform), async (database) => {
      const collection = database.collection<AuditRecordDocument>('identity_audit_records');
      return [
        await collection.find({ 'target.id': user.userId, action: 'password.reset' }).toArray(),
        await collection.find().toArray(),
      ];
    });
    expect(records).toMatchObject([{ actor: { type: 'system' } }]);
    expect(JSON.stringify(all)).not.toContain(password);
    expect(platform.output()).not.toContain(password);
  });

  test('is for the first user without an address', async () => {
    const { adminEmail, adminPassword } = platform.firstRun;
    const { output } = await admin();
    const [, password = ''] = / is (\S{20})$/m.exec(output) ?? [];
    expect(await logIn(adminEmail, adminPassword)).toBe(400);
    expect(await logIn(adminEmail, password)).toBe(303);
    // The next start does not name the old password: the file keeps the rest.
    const kept = JSON.parse(readFileSync(join(platform.dataDir, 'first-run.json'), 'utf8')) as object;
    expect(kept).toEqual(expect.objectContaining({ adminEmail, apiKey: platform.firstRun.apiKey }));
    expect(kept).not.toHaveProperty('adminPassword');
  });

  test('says who is unknown and what is no address, and changes nothing', async () => {
    expect((await admin('--email', 'nobody@example.com')).output).toContain(
      'No user logs in with "nobody@example.com".',
    );
    for (const email of ['nobody', 'a@b --yes', 'a@"b"', '']) {
      expect(await admin('--email', email)).toMatchObject({
        code: 1,
        output: expect.stringContaining('Usage: npm run'),
      });
    }
  });
});
