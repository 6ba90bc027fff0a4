import type { AdapterPayload } from 'oidc-provider';
import type { CallOutput } from '../../lib/calls.ts';
import { decrypt, encrypt } from '../../lib/encryption.ts';

type Artifact = CallOutput<'identity.oauth.artifacts.find'>['artifact'];

const sealPurpose = 'oauth';

/** An object of the provider in the form in which the identity service stores it. */
export function encryptPayload(payload: AdapterPayload): string {
  return encrypt(sealPurpose, JSON.stringify(payload));
}

/** The object that the provider stored; undefined when there is none. */
export function decryptPayload(artifact: Artifact): AdapterPayload | undefined {
  if (!artifact) return undefined;
  const payload = JSON.parse(decrypt(sealPurpose, artifact.sealed)) as AdapterPayload;
  return { ...payload, ...(artifact.isConsumed && { consumed: true }) };
}
