import { describe } from '@jest/globals';
import { defineMongoSuite } from '../../integration/embedded-mongo/suite/suite.ts';
import { ferretDifferences } from './ferret-differences.ts';

function secondImplementation(): string {
  const url = process.env.TEST_MONGO_URL;
  if (!url) throw new Error('TEST_MONGO_URL must be the address of the second implementation of the protocol.');
  return url;
}

describe('the second implementation of the protocol', () => {
  defineMongoSuite(secondImplementation, ferretDifferences);
});
