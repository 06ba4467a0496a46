"""Attention to parts of a picture."""

from course_lib.visual_attention.annotations import AnnotationEncoder
from course_lib.visual_attention.captioner import ATTENTIONS, Captioner, caption_decoder, scene_captioner
from course_lib.visual_attention.classifier import PartClassifier, keep_places
from course_lib.visual_attention.draw import Draw, Painting, bound, divergence
from course_lib.visual_attention.filter_bank import Window, filters, window
from course_lib.visual_attention.hard_decoder import HardAttentionDecoder, MovingBaseline, hard_attention_loss
from course_lib.visual_attention.ram import Glimpses, RecurrentAttentionModel, ram_loss
from course_lib.visual_attention.retina import glimpse
from course_lib.visual_attention.show_and_tell import ShowAndTellDecoder
from course_lib.visual_attention.soft_decoder import SoftAttentionDecoder, doubly_stochastic_penalty
from course_lib.visual_attention.steps import CaptionRun, CaptionState, CaptionStep

__all__ = [
    "ATTENTIONS",
    "AnnotationEncoder",
    "CaptionRun",
    "CaptionState",
    "CaptionStep",
    "Captioner",
    "Draw",
    "Glimpses",
    "HardAttentionDecoder",
    "MovingBaseline",
    "Painting",
    "PartClassifier",
    "RecurrentAttentionModel",
    "ShowAndTellDecoder",
    "SoftAttentionDecoder",
    "Window",
    "bound",
    "caption_decoder",
    "divergence",
    "doubly_stochastic_penalty",
    "filters",
    "glimpse",
    "hard_attention_loss",
    "keep_places",
    "ram_loss",
    "scene_captioner",
    "window",
]
