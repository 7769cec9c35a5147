import GatehouseWire

/// Reads what devices have said of themselves, each text once: thousands of refused calls have some dozens of different ones.
struct DeviceReader {
    private var devices: [String: ClientInformation?] = [:]

    /// - Parameter text: the header of a call.
    mutating func device(_ text: String?) -> ClientInformation? {
        guard let text else { return nil }
        if let device = devices[text] { return device }
        let device = ClientInformation(headerValue: text)
        devices.updateValue(device, forKey: text)
        return device
    }
}
