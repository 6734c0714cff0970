import { customCleanEnv, EnvMissingError, type OptionalValidatorSpec, type RequiredValidatorSpec, type Spec, type ValidatorSpec } from 'envalid';

/** What one environment variable has wrong, and what to set. */
export interface ConfigProblem {
  readonly variable: string;
  readonly problem: string;
}

/** The environment does not let the service start. The message lists every wrong variable; it never repeats a value, which may be secret. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly ConfigProblem[];

  constructor(problems: readonly ConfigProblem[]) {
    super([
      problems.length === 1 ? 'one environment variable is wrong' : `${problems.length} environment variables are wrong`,
      ...problems.map(({ variable, problem }) => `  ${variable} ${problem}`),
    ].join('\n'));
    this.problems = problems;
  }
}

/** The variables of a service: name to validator (see variables.ts). */
export type ConfigSpec = Readonly<Record<string, ValidatorSpec<unknown>>>;

/** The values that a ConfigSpec yields. A variable with `default: undefined` may be undefined. */
export type Config<S> = {
  readonly [K in keyof S]: S[K] extends OptionalValidatorSpec<infer U> ? U | undefined : S[K] extends RequiredValidatorSpec<infer U> ? U : never;
};

/**
 * Reads the variables of `spec` from `env`, once, at the start of a process. An empty variable counts as not set. The result is frozen and
 * holds the variables of `spec` only.
 * @throws ConfigError that lists every variable that is wrong or missing, with what to set.
 */
export function parseConfig<S extends ConfigSpec>(spec: S, env: NodeJS.ProcessEnv): Config<S> {
  const set = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== undefined && value !== ''));
  let problems: ConfigProblem[] = [];
  const values = customCleanEnv(set, spec, (cleaned): object => ({ ...cleaned }), {
    reporter: ({ errors }) => { problems = Object.entries(errors).map(([variable, error]) => describe(variable, spec[variable], error)); },
  });
  if (problems.length > 0) throw new ConfigError(problems);
  if (!holdsAll(values, spec)) throw new TypeError('a validator left its variable out');
  return values;
}

// envalid types its result a little differently; this is where the two meet.
function holdsAll<S extends ConfigSpec>(values: object, spec: S): values is Config<S> {
  return Object.keys(spec).every((variable) => variable in values);
}

function describe(variable: string, spec: Spec<unknown> | undefined, error: unknown): ConfigProblem {
  const wrong = error instanceof EnvMissingError ? 'is not set' : error instanceof Error ? error.message : 'is wrong';
  const purpose = spec?.desc === undefined ? '' : `: ${spec.desc}`;
  const example = spec?.example === undefined ? '' : `; set it to something like ${spec.example}`;
  return { variable, problem: `${wrong}${purpose}${example}` };
}
