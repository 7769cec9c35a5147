import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire

// A form whose session has ended is given to its browser, sealed, until its person has signed in again.
extension Actions {
    package static let keptSeconds: Int64 = 3_600

    /// Seals a form for its browser.
    package func sealForm(_ form: some Encodable, at moment: Moment) throws -> String {
        let text = "\(moment.milliseconds)\n\(try JSONText.write(form))"
        return Base64URL.encode(try services.vault.seal(text.utf8, for: .consoleForm))
    }

    /// Opens a form of the last hour; nil for anything else.
    package func openForm<Form: Decodable>(
        _ sealed: String, within seconds: Int64 = keptSeconds, at moment: Moment
    ) -> Form? {
        guard let bytes = Base64URL.decode(sealed.utf8), let opened = try? services.vault.open(bytes, for: .consoleForm)
        else { return nil }
        let parts = String(decoding: opened, as: UTF8.self).parts(at: "\n", atMost: 2)
        guard parts.count == 2, let date = Int64(parts[0]),
            moment < Moment(milliseconds: date).adding(seconds: seconds)
        else { return nil }
        return try? JSONText.read(String(parts[1]))
    }
}
