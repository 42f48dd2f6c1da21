import type { Node, PropertySignature, TransformationContext, TypeElement, TypeLiteralNode, TypeNode } from 'typescript'
import { ts } from './compiler.ts'

/** Between a path and a method in the source of types. No path has it. */
export const methodSeparator = '\0'

/** The name of a parameter `in: querystring` among those of the query, in the source of types. */
export const wholeQuery = '\u0001'

/**
 * Writes types of OpenAPI 3.2, which openapi-typescript does not know, in its form. The operation of `/things\0query`
 * becomes that of `query` in `/things`, and the parameter that is the whole query becomes `querystring`.
 *
 * @param nodes what openapi-typescript has made of a source with these names
 */
export function joinMethods(nodes: readonly Node[]): Node[] {
  return ts.transform([...nodes], [(context) => (node) => joined(node, context)]).transformed
}

function joined(node: Node, context: TransformationContext): Node {
  const inside = ts.visitEachChild(node, (child) => joined(child, context), context)
  if (ts.isTypeLiteralNode(inside))
    return ts.factory.updateTypeLiteralNode(inside, ts.factory.createNodeArray(membersOf(inside.members)))
  if (!ts.isInterfaceDeclaration(inside)) return inside
  const { modifiers, name, typeParameters, heritageClauses, members } = inside
  return ts.factory.updateInterfaceDeclaration(
    inside,
    modifiers,
    name,
    typeParameters,
    heritageClauses,
    ts.factory.createNodeArray(membersOf(members)),
  )
}

function membersOf(members: readonly TypeElement[]): TypeElement[] {
  const split = members.filter((member) => nameOf(member).includes(methodSeparator))
  return members.flatMap((member): TypeElement[] => {
    const name = nameOf(member)
    if (split.includes(member)) return []
    if (name === 'query') return withQuerystring(member)
    const own = split.filter((each) => nameOf(each).startsWith(name + methodSeparator))
    if (own.length === 0 || !isOfMembers(member)) return [member]
    const added = own.flatMap((each) => {
      const method = nameOf(each).slice(name.length + methodSeparator.length)
      const operations = isOfMembers(each) ? each.type.members.filter((one) => nameOf(one) === 'post') : []
      return operations.map((operation) => renamed(operation, method))
    })
    return [withType(member, ts.factory.createTypeLiteralNode([...member.type.members, ...added]))]
  })
}

/** The parameters of the query, or `querystring` in their place. */
function withQuerystring(member: TypeElement): TypeElement[] {
  const [whole] = isOfMembers(member) ? member.type.members : []
  if (whole === undefined || nameOf(whole) !== wholeQuery || !ts.isPropertySignature(member)) return [member]
  const never = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword)
  const optional = ts.factory.createToken(ts.SyntaxKind.QuestionToken)
  const { modifiers, name } = member
  return [ts.factory.createPropertySignature(modifiers, name, optional, never), renamed(whole, 'querystring')]
}

type OfMembers = PropertySignature & { type: TypeLiteralNode }

function isOfMembers(member: TypeElement): member is OfMembers {
  return ts.isPropertySignature(member) && member.type !== undefined && ts.isTypeLiteralNode(member.type)
}

function nameOf({ name }: TypeElement): string {
  return name !== undefined && (ts.isIdentifier(name) || ts.isStringLiteral(name)) ? name.text : ''
}

function renamed(member: TypeElement, name: string): TypeElement {
  if (!ts.isPropertySignature(member)) return member
  const { modifiers, questionToken, type } = member
  const written = /^\w+$/.test(name) ? ts.factory.createIdentifier(name) : ts.factory.createStringLiteral(name)
  return ts.factory.updatePropertySignature(member, modifiers, written, questionToken, type)
}

function withType(member: PropertySignature, type: TypeNode): TypeElement {
  const { modifiers, name, questionToken } = member
  return ts.factory.updatePropertySignature(member, modifiers, name, questionToken, type)
}
