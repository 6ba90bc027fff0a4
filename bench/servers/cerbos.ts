import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import type { OrganizationAccess } from '../access/world.ts';
import { guard, plainEnvironment, stop, temporaryFolder } from '../processes.ts';
import { healthy } from './healthy.ts';
import { freePort } from './ports.ts';

export type Cerbos = { port: number; pid: number; stop: () => Promise<void> };

/**
 * Starts the server of the npm package with one policy per organization, which has the permissions of its roles. As
 * Cerbos works, each request passes the user's roles, so it looks up no assignment. Null on a system without such a
 * package.
 */
export async function startCerbos(world: OrganizationAccess[]): Promise<Cerbos | null> {
  const binary = findBinary();
  if (!binary) return null;
  const [port, grpcPort] = await Promise.all([freePort(), freePort()]);
  const folder = temporaryFolder();
  const policies = join(folder, 'policies');
  mkdirSync(policies);
  for (const organization of world) {
    // JSON is valid YAML.
    writeFileSync(join(policies, `${organization.orgId}.yaml`), JSON.stringify(policyOf(organization)));
  }
  const configuration = {
    server: { httpListenAddr: `127.0.0.1:${port}`, grpcListenAddr: `127.0.0.1:${grpcPort}` },
    telemetry: { disabled: true },
    audit: { enabled: false },
    storage: { driver: 'disk', disk: { directory: policies, watchForChanges: false } },
  };
  const configurationFile = join(folder, 'cerbos.yaml');
  writeFileSync(configurationFile, JSON.stringify(configuration));
  const child = spawn(binary, ['server', `--config=${configurationFile}`, '--log-level=error'], {
    env: plainEnvironment(),
    stdio: 'ignore',
  });
  guard(child);
  await healthy('Cerbos', `http://127.0.0.1:${port}/_cerbos/health`);
  return { port, pid: child.pid ?? 0, stop: () => stop(child) };
}

function findBinary(): string | null {
  try {
    return createRequire(import.meta.url).resolve(`@cerbos/cerbos-${process.platform}-${process.arch}`);
  } catch {
    return null;
  }
}

function policyOf({ orgId, roles }: OrganizationAccess): object {
  const rules = roles.map(({ id, permissions }) => ({ actions: permissions, effect: 'EFFECT_ALLOW', roles: [id] }));
  return { apiVersion: 'api.cerbos.dev/v1', resourcePolicy: { version: 'default', resource: orgId, rules } };
}
