public import GatehousePlatform

public struct OutgoingResponse: Sendable, Hashable {
    public var status: Int
    public var body: Data
    /// The target of a redirect, which is never followed.
    public var location: String?
    /// The time of the answer by the provider's clock, as its header has it.
    public var date: String?

    public init(status: Int, body: Data, location: String? = nil, date: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
        self.date = date
    }
}
