import { describe } from '@jest/globals';
import { ferretDifferences } from '../../support/mongo-suite/ferret-differences.ts';
import { defineMongoSuite } from '../../support/mongo-suite/suite.ts';

function secondImplementation(): string {
  const url = process.env.TEST_MONGO_URL;
  if (!url) throw new Error('TEST_MONGO_URL must be the address of the second implementation of the protocol.');
  return url;
}

describe('the second implementation of the protocol', () => {
  defineMongoSuite(secondImplementation, ferretDifferences);
});
