package backoffice

import "strings"

// ParseLanguage accepts the English name of a language in lower case ("dutch", "norwegian bokmål"). Anything else is
// BadInput.
func ParseLanguage(text string) (string, error) {
	if !languages[text] {
		return "", Errorf(BadInput,
			"a language must be an English name in lower case, such as dutch, french, german or english")
	}
	return text, nil
}

// languages has the Unicode CLDR's names of the languages of ISO 639-1, and others in common use.
var languages = languageSet(`
abkhazian, afar, afrikaans, akan, albanian, amharic, arabic, aragonese, aramaic, armenian, assamese, avaric,
avestan, aymara, azerbaijani, bambara, bangla, bashkir, basque, belarusian, bengali, berber, bhojpuri,
bislama, bosnian, breton, bulgarian, burmese, cantonese, catalan, chamorro, chechen, chinese, church slavic,
chuvash, cornish, corsican, cree, croatian, czech, danish, divehi, dutch, dzongkha, english, esperanto,
estonian, ewe, faroese, fijian, filipino, finnish, flemish, french, frisian, fulah, galician, ganda,
georgian, german, greek, greenlandic, guarani, gujarati, haitian creole, hausa, hebrew, herero, hindi,
hiri motu, hungarian, icelandic, ido, igbo, indonesian, interlingua, interlingue, inuktitut, inupiaq, irish,
italian, japanese, javanese, kabyle, kalaallisut, kannada, kanuri, kashmiri, kazakh, khmer, kikuyu,
kinyarwanda, komi, kongo, korean, kuanyama, kurdish, kyrgyz, lao, latin, latvian, limburgish, lingala,
lithuanian, luba-katanga, luxembourgish, macedonian, malagasy, malay, malayalam, maltese, mandarin, manx,
maori, marathi, marshallese, moldavian, mongolian, nauru, navajo, ndonga, nepali, north ndebele,
northern sami, norwegian, norwegian bokmål, norwegian nynorsk, nyanja, occitan, odia, ojibwa, oromo, ossetic,
pali, pashto, persian, polish, portuguese, punjabi, quechua, romanian, romansh, rundi, russian, samoan,
sango, sanskrit, sardinian, scottish gaelic, serbian, serbo-croatian, shona, sichuan yi, sindhi, sinhala,
slovak, slovenian, somali, south ndebele, southern sotho, spanish, sundanese, swahili, swati, swedish,
tagalog, tahitian, tajik, tamil, tatar, telugu, thai, tibetan, tigrinya, tongan, tsonga, tswana, turkish,
turkmen, twi, ukrainian, urdu, uyghur, uzbek, venda, vietnamese, volapük, walloon, welsh, western frisian,
wolof, xhosa, yiddish, yoruba, zhuang, zulu`)

func languageSet(list string) map[string]bool {
	set := map[string]bool{}
	for name := range strings.SplitSeq(list, ",") {
		set[strings.TrimSpace(name)] = true
	}
	return set
}
