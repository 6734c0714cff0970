/** @param {string[]} programs @param {string} version */
export const releaseReadme = (programs, version) => `# So that a later build can be tested beside the release that it replaces, this is that release as it was built.

Leasehold ${version}. Made by \`npm run release:bundle -- v${version}\` at the tag \`v${version}\`; nothing here is written by hand, and nothing here changes any more.

\`\`\`
${programs.map((path) => `node ${path}`).join('\n')}
\`\`\`

Each is a file of its own, minified, with the same environment variables as the service that it was made of. SQL, migrations and descriptor images lie beside it as in the workspace.
\`sharp\` is native and is taken from the workspace's node_modules. \`testing/main.js\` are the workers with failpoints.
`;
