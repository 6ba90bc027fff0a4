import vm from 'node:vm';

/*
 * Jest compiles every CommonJS module anew for each test file. The compiled code of a module is kept in the process, so
 * that the next file takes it: a fifth of a second less in each file that imports the database driver.
 */

/** By file name. */
const compiled = new Map();
const { compileFunction } = vm;

vm.compileFunction = (source, parameters, options = {}) => {
  const { filename } = options;
  if (filename === undefined) return compileFunction(source, parameters, options);
  const known = compiled.get(filename);
  if (known?.source === source) return compileFunction(source, parameters, { ...options, cachedData: known.data });
  const made = compileFunction(source, parameters, { ...options, produceCachedData: true });
  if (made.cachedData) compiled.set(filename, { source, data: made.cachedData });
  return made;
};
