/*
 * The parts of the peers that the benchmarks use, declared here: the platform is type-checked where the packages of the
 * benchmarks are not installed.
 */

declare module 'casbin' {
  export type Model = object;
  export type Enforcer = {
    addPolicies(rules: string[][]): Promise<boolean>;
    addGroupingPolicies(rules: string[][]): Promise<boolean>;
    enforceSync(...request: string[]): boolean;
  };
  export function newModelFromString(text: string): Model;
  export function newEnforcer(model: Model): Promise<Enforcer>;
}

declare module '@casl/ability' {
  export type Ability = { can(action: string, subject: string): boolean };
  export function createMongoAbility(rules: { action: string; subject: string }[]): Ability;
}
