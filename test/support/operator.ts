import { expect } from '@jest/globals';
import { send } from './http.ts';

/** What a control action said; `refused` when it was a refusal with its reason. */
export type Said = { said: string; refused: boolean };

/** Calls a control action of a node through the service `operator` of a test's platform. */
export async function control(
  url: string,
  node: string,
  action: 'load' | 'unload' | 'versions' | 'run-job' | 'erasures' | 'forget-erasure' | 'type',
  params: object = {},
): Promise<Said> {
  const body = JSON.stringify({ action, node, params });
  const headers = { 'Content-Type': 'application/json' };
  return (await send<Said>(url, { method: 'POST', path: '/operator', headers, body })).body;
}

/** Has the node of a test's platform run a job once, and waits until it has ended. */
export async function runJob(url: string, name: string): Promise<void> {
  expect(await control(url, 'node-1', 'run-job', { name })).toMatchObject({ refused: false });
}
