/// What a client adds to a request to authenticate itself.
package struct CallAdditions: Sendable {
    package var form: [String: String]
    package var headers: [String: String] = [:]
}
