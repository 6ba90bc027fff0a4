const startFailureCodes = [
  'FOLDER_IN_USE',
  'DATABASE_DAMAGED',
  'DATABASE_FOREIGN',
  'DATABASE_VERSION',
  'PORT_IN_USE',
  'FOLDER_NOT_EMPTY',
  'RESTORE_UNFINISHED',
  'FILE_EXISTS',
  'NO_DATABASE',
  'BACKUP_FAILED',
  'START_FAILED',
] as const;

/** Why the database did not start, or a backup or restore failed. */
export type StartFailureCode = (typeof startFailureCodes)[number];

export type StartFailure = Error & { code: StartFailureCode };

/** Error with a code for the program and a message for a person. */
export function startFailure(code: StartFailureCode, message: string, cause?: unknown): StartFailure {
  return Object.assign(new Error(message, { cause }), { code });
}

export function isStartFailure(error: unknown): error is StartFailure {
  return error instanceof Error && 'code' in error && startFailureCodes.some((code) => code === error.code);
}
