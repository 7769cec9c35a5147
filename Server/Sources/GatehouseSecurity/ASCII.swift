/// The classes of bytes that names, versions and numbers from outside consist of. Letters and digits of other scripts belong to none.
package enum ASCII {
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    package static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    package static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
    package static func isLetter(_ byte: UInt8) -> Bool { isUppercase(byte) || isLowercase(byte) }
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
}
