import GatehouseWire
import HTTPTypes
import Hummingbird

/// Removes the access token from a path of Gamebase's Server API before the door's router sees the request. So no other code can log it,
/// and the router does not have to process its four hundred letters.
struct TokenInPath<Next: HTTPResponder>: HTTPResponder where Next.Context == GatehouseContext {
    let next: Next

    func respond(to request: Request, context: GatehouseContext) async throws -> Response {
        guard let (path, token) = PathToken.take(from: request.head.path ?? "") else {
            return try await next.respond(to: request, context: context)
        }
        var head = request.head
        head.path = path
        var context = context
        context.pathToken = token
        return try await next.respond(to: Request(head: head, body: request.body), context: context)
    }
}

enum PathToken {
    /// The placeholder that replaces the token in the path.
    static let mark = "-"

    /// The path without the segment after `/tokens/`, which is the last one; nil if the path has none.
    static func take(from path: String) -> (path: String, token: AccessToken)? {
        var path = path
        guard let range = path.withUTF8(range) else { return nil }
        let utf8 = path.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: range.lowerBound)
        let end = utf8.index(start, offsetBy: range.count)
        return ("\(path[..<start])\(mark)\(path[end...])", AccessToken(String(path[start..<end])))
    }

    /// The position of the token. A token contains no slash, so it follows the last one.
    private static func range(_ bytes: UnsafeBufferPointer<UInt8>) -> Range<Int>? {
        let end = bytes.firstIndex(of: UInt8(ascii: "?")) ?? bytes.count
        guard let slash = bytes[..<end].lastIndex(of: UInt8(ascii: "/")), slash + 1 < end,
            bytes[..<slash].suffix("/tokens".utf8.count).elementsEqual("/tokens".utf8)
        else { return nil }
        return slash + 1..<end
    }
}
