/// What the linked files name and no parser needs.
enum IdentityFailure: Error {
    case rejected(String)
    case misconfigured(String)
}
