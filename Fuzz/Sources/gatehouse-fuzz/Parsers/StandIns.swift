/// Types that the linked files mention but no parser needs.
enum IdentityFailure: Error {
    case rejected(String)
    case misconfigured(String)
}
