import { cp, mkdir, mkdtemp, readFile, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { devNull, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { execa } from 'execa';
import { filesOf } from './files.mjs';

/** This workspace; ends with a slash. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** A workspace in a temporary folder with a history of its own, which a test may change; it borrows this one's installed packages. */
export class ScratchWorkspace {
  readonly path: string;

  private constructor(path: string) {
    this.path = path;
  }

  /** A copy of this workspace as it is in the working tree: the history may be shallow, or be missing. */
  static async copy(): Promise<ScratchWorkspace> {
    const scratch = await ScratchWorkspace.empty();
    for (const path of filesOf(root)) await cp(join(root, path), join(scratch.path, path));
    await scratch.commit();
    return scratch;
  }

  static async empty(): Promise<ScratchWorkspace> {
    const path = await realpath(await mkdtemp(join(tmpdir(), 'leasehold-workspace-')));
    await symlink(join(root, 'node_modules'), join(path, 'node_modules'));
    return new ScratchWorkspace(path);
  }

  async commit(): Promise<void> {
    await this.run('git', 'init', '--quiet');
    await this.run('git', 'add', '--all');
    await this.run('git', '-c', 'user.name=Test', '-c', 'user.email=test@localhost', 'commit', '--quiet', '--message', 'As it is');
  }

  async write(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(this.path, path)), { recursive: true });
    await writeFile(join(this.path, path), text);
  }

  read(path: string): Promise<string> {
    return readFile(join(this.path, path), 'utf8');
  }

  /** Runs a command to its end, in an environment without this run's own settings for git and nx. Answers what it printed. */
  async run(command: string, ...args: string[]): Promise<string> {
    const own = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(NX_|GIT_|VITEST|LERNA_|FORCE_COLOR|NO_COLOR|NODE_ENV)/.test(name)));
    const env = { ...own, NX_DAEMON: 'false', NX_ISOLATE_PLUGINS: 'false', GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: '1' };
    const { stdout } = await execa(command, args, { cwd: this.path, env, extendEnv: false, stdin: 'ignore' });
    return stdout;
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true });
  }
}
