/*
 * Imported before a node: its composer has the version after this tree's, and its folds differ from this version's, so
 * that neither can be taken for the other.
 */
import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { fileURLToPath } from 'node:url';

const changes = [
  [/composerVersion = (\d+)/, (_all, version) => `composerVersion = ${Number(version) + 1}`],
  [/eventCount/g, () => 'countOfEvents'],
];
const changed = /\/services\/context\/(compose\/progress\.ts|story\/.+\.ts)$/;

registerHooks({
  load(url, context, next) {
    if (!changed.test(url)) return next(url, context);
    const stripped = stripTypeScriptTypes(readFileSync(fileURLToPath(url), 'utf8'));
    const source = changes.reduce((code, [pattern, change]) => code.replace(pattern, change), stripped);
    return { format: 'module', source, shortCircuit: true };
  },
});
