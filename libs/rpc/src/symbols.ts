import type { DescriptorProto, EnumDescriptorProto, FileDescriptorProto } from '@bufbuild/protobuf/wkt';

/** The full name of everything that a file declares and a reflection client may ask for. */
export function* symbolsOf(file: FileDescriptorProto): Generator<string> {
  const scope = file.package === '' ? '' : `${file.package}.`;
  yield* declarations(scope, file);
  for (const service of file.service) {
    yield `${scope}${service.name}`;
    for (const method of service.method) yield `${scope}${service.name}.${method.name}`;
  }
}

/** The full names of a file's services. */
export const servicesOf = (file: FileDescriptorProto): string[] =>
  file.service.map(({ name }) => (file.package === '' ? name : `${file.package}.${name}`));

/** Messages (map entries too), their fields and oneofs, enums, their values, and extensions, at any depth. */
function* declarations(scope: string, o: Pick<FileDescriptorProto, 'messageType' | 'enumType' | 'extension'>): Generator<string> {
  for (const message of o.messageType) yield* ofMessage(scope, message);
  for (const type of o.enumType) yield* ofEnum(scope, type);
  for (const extension of o.extension) yield `${scope}${extension.name}`;
}

function* ofMessage(scope: string, message: DescriptorProto): Generator<string> {
  const name = `${scope}${message.name}`;
  yield name;
  for (const member of [...message.field, ...message.oneofDecl]) yield `${name}.${member.name}`;
  yield* declarations(`${name}.`, { messageType: message.nestedType, enumType: message.enumType, extension: message.extension });
}

/** Values are named beside their enum, not within it, as in C++. */
function* ofEnum(scope: string, type: EnumDescriptorProto): Generator<string> {
  yield `${scope}${type.name}`;
  for (const value of type.value) yield `${scope}${value.name}`;
}
